// Every status is reachable, and a task closes by itself only when nothing is left to do.
import {
  type ApprovalId,
  type ClientCallId,
  type Command,
  draft,
  type EventDraft,
  type QuestionId,
  SessionStatus,
  type TurnId,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { answerAsk, askQuestion, callClient, red, requestApproval } from './given-asks.fixture.ts'
import {
  cancel,
  close,
  created,
  end,
  type GivenStep,
  given,
  interrupt,
  messageId,
  pause,
  recover,
  resume,
  running,
  send,
  start,
  statusAfter,
} from './given-session.fixture.ts'

// Literals that match the ids' shapes.
const approvalId = 'apr_000001' as ApprovalId
const questionId = 'qst_000001' as QuestionId
const callId = 'ctc_000001' as ClientCallId
const laterTurn = 'trn_000002' as TurnId
const attach: Command = { type: 'client.attach', clientId: 'browser', tools: [], by: 'ana' }

const paths: Readonly<Record<Exclude<SessionStatus, 'resuming'>, readonly GivenStep[]>> = {
  idle: [created()],
  queued: [created(), send()],
  running,
  waiting_approval: [...running, requestApproval(approvalId)],
  waiting_user: [...running, askQuestion(questionId)],
  waiting_client: [created(), attach, send(), start, callClient(callId)],
  interrupting: [...running, interrupt],
  interrupted: [...running, interrupt, end('interrupted')],
  pausing: [...running, pause],
  paused: [...running, pause, end('interrupted')],
  cancelling: [...running, cancel],
  cancelled: [created(), cancel],
  context_exhausted: [...running, end('failed', { reason: 'Prompt is too long' })],
  completed: [created(), close],
  failed: [...running, end('failed')],
  stopped_budget: [...running, end('budget_limit')],
  stopped_turns: [...running, end('turn_limit')],
}

describe('statuses', () => {
  it.each(Object.entries(paths))('%s is reached', (status, steps) => {
    expect(statusAfter(...steps)).toBe(status)
  })

  it('resuming is passed through', () => {
    const [first] = decide(given(...paths.paused), resume)
    expect(first?.data).toMatchObject({ to: 'resuming' })
  })

  it('are all listed here', () => {
    expect([...Object.keys(paths), 'resuming'].sort()).toEqual([...SessionStatus.options].sort())
  })
})

describe('a task', () => {
  const task = [created('task'), send(), start] as const
  const kept = { keepsAsks: true }

  it.each([
    ['waiting_approval', requestApproval(approvalId), draft('ApprovalExpired', { approvalId })],
    ['waiting_user', askQuestion(questionId), draft('QuestionExpired', { questionId })],
  ] as const)('does not close while it is %s', (status, ask, expired: EventDraft) => {
    const crashed = [...task, ask, end('crashed', kept)]
    expect(statusAfter(...crashed)).toBe(status)
    // A later turn succeeds, but an answer is still needed.
    const again = [...crashed, send(2), { type: 'turn.start', turnId: laterTurn } as const]
    expect(statusAfter(...again, end('completed'))).toBe(status)
    expect(statusAfter(...again, expired, end('completed'))).toBe('completed')
  })

  it('does not close while it is waiting_client, nor before the agent learns that there was no answer', () => {
    const crashed = [...task, callClient(callId), end('crashed', kept)]
    expect(statusAfter(...crashed)).toBe('waiting_client')
    const again = [...crashed, send(2), { type: 'turn.start', turnId: laterTurn } as const]
    expect(statusAfter(...again, end('completed'))).toBe('waiting_client')
    expect(statusAfter(...again, draft('ClientToolExpired', { callId }), end('completed'))).toBe('queued')
  })

  it('does not close before the agent receives the answer that was lost with its process', () => {
    const answered = [...task, askQuestion(questionId), answerAsk(questionId, red)]
    for (const death of [recover, end('crashed', kept)]) {
      expect(statusAfter(...answered, death)).toBe('queued')
      expect(statusAfter(...answered, death, start, end('completed'))).toBe('completed')
    }
  })

  it('rests at a limit instead of closing, and closes once it can continue', () => {
    const broke = [...task, end('budget_limit')]
    expect(statusAfter(...broke)).toBe('stopped_budget')
    const limits = { maxTurns: 50, maxBudgetUsd: 50, maxDurationMs: 3_600_000 }
    const raise: Command = { type: 'session.change', limits, continueMessageId: messageId(8), by: 'ana' }
    expect(statusAfter(...broke, raise, start, end('completed'))).toBe('completed')
  })

  it.each(['failed', 'crashed', 'timeout', 'interrupted', 'turn_limit'] as const)(
    'whose turn ended as %s stays open',
    (outcome) => {
      expect(['completed', 'cancelled']).not.toContain(statusAfter(...task, end(outcome)))
    },
  )
})
