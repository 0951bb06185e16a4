import {
  type AnswerAsk,
  type ApprovalAnswer,
  type ApprovalId,
  type Command,
  draft,
  type ErrorCode,
  type EventDraft,
  isQuarterdeckError,
  type PermissionRule,
  parseApprovedCalls,
  parseDeniedCalls,
  type TurnId,
  type TurnOutcome,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { emptyResult } from '../../backends/empty-result.ts'
import { decide } from './decide.ts'
import { allow, answerAsk, expireAsk, requestApproval } from './given-asks.fixture.ts'
import { created, type GivenStep, given } from './given-session.fixture.ts'

// Literals that match the ids' shapes.
const turnId = 'trn_000001' as TurnId
const laterTurn = 'trn_000002' as TurnId
const one = 'umsg_000001' as UserMessageId
const two = 'umsg_000002' as UserMessageId
const three = 'umsg_000003' as UserMessageId
const wakeId = 'umsg_000009' as UserMessageId
const ask1 = 'apr_000001' as ApprovalId
const ask2 = 'apr_000002' as ApprovalId

const send = (messageId = one): Command => ({
  type: 'message.send',
  messageId,
  content: 'hi',
  origin: 'user',
  delivery: 'queued',
  by: 'ana',
})
const start: Command = { type: 'turn.start', turnId }
const interrupt: Command = { type: 'turn.interrupt', by: 'ana' }
const cancel: Command = { type: 'session.cancel', by: 'ana' }
const close: Command = { type: 'session.close', by: 'ana' }

const request = (approvalId = ask1, command = 'ls'): Command =>
  requestApproval(approvalId, { toolInput: { command }, sessionRule: { tool: 'Bash', pattern: command } })

const answer = (
  id: ApprovalId,
  { by = 'ben', isLive = true, ...change }: Partial<ApprovalAnswer & Pick<AnswerAsk, 'by' | 'isLive'>> = {},
): Command => answerAsk(id, { ...allow, ...change }, { by, isLive, wakeMessageId: two })

const end = (outcome: TurnOutcome, keepsAsks = false): Command => ({
  type: 'turn.end',
  keepsAsks,
  wakeMessageId: wakeId,
  ended: draft('TurnEnded', {
    outcome,
    result: { ...emptyResult, response: 'done', numTurns: 2, errorReason: outcome === 'completed' ? null : outcome },
    durationMs: 10,
    durationApiMs: 5,
    reportedCostUsd: null,
    modelUsage: {},
    permissionDenials: [],
  }),
})

const recover: Command = { type: 'session.recover', openTexts: [], wakeMessageId: wakeId }
const types = (drafts: readonly EventDraft[]) => drafts.map((event) => event.type)
const statusAfter = (...steps: readonly GivenStep[]) => given(...steps)?.status

function codeOf(work: () => unknown): ErrorCode | undefined {
  try {
    work()
  } catch (error) {
    if (isQuarterdeckError(error)) return error.code
    throw error
  }
  return undefined
}

const running = [created(), send(), start] as const

describe('messages', () => {
  it('commits a message before any turn starts and marks the session as queued', () => {
    expect(types(decide(given(created()), send()))).toEqual(['UserMessageQueued', 'AgentSessionStatusChanged'])
    expect(statusAfter(created(), send())).toBe('queued')
  })

  it('queues behind a running turn without disturbing it', () => {
    expect(types(decide(given(...running), send(two)))).toEqual(['UserMessageQueued'])
    expect(statusAfter(...running, send(two))).toBe('running')
  })

  it('continues with the next message when the turn ends', () => {
    const state = given(...running, send(two), end('completed'))
    expect(state?.status).toBe('queued')
    expect(state?.queued.map(({ messageId }) => messageId)).toEqual([two])
  })

  it('refuses a message to a closed session', () => {
    expect(codeOf(() => decide(given(created(), close), send()))).toBe('session.closed')
    expect(codeOf(() => decide(given(created(), cancel), send()))).toBe('session.closed')
  })

  it('refuses everything but creation for an unknown session', () => {
    expect(codeOf(() => decide(null, send()))).toBe('session.not-found')
  })
})

describe('turns', () => {
  it('delivers exactly one message per turn', () => {
    const drafts = decide(given(created(), send(), send(two)), start)
    expect(types(drafts)).toEqual(['AgentSessionStatusChanged', 'TurnStarted', 'UserMessageDelivered'])
    expect(given(created(), send(), send(two), start)?.queued).toHaveLength(1)
  })

  it.each([
    ['completed', 'idle'],
    ['failed', 'failed'],
    ['crashed', 'failed'],
    ['timeout', 'failed'],
    ['interrupted', 'interrupted'],
    ['turn_limit', 'stopped_turns'],
    ['budget_limit', 'stopped_budget'],
  ] as const)('rests a chat whose turn ended as %s in %s, and accepts another message', (outcome, status) => {
    expect(statusAfter(...running, end(outcome))).toBe(status)
    expect(statusAfter(...running, end(outcome), send(two))).toBe('queued')
  })

  it('closes a task with its result when its only turn is done', () => {
    const drafts = decide(given(created('task'), send(), start), end('completed'))
    expect(types(drafts)).toEqual(['TurnEnded', 'AgentSessionCompleted', 'AgentSessionStatusChanged'])
    const completed = drafts.find((event) => event.type === 'AgentSessionCompleted')
    expect(completed?.data).toMatchObject({ result: 'done', numTurns: 2, durationMs: 10 })
    expect(statusAfter(created('task'), send(), start, end('completed'))).toBe('completed')
  })

  it('reports a task of several turns as their sum', () => {
    const ended = (input: number): Command => {
      const command = end('completed')
      if (command.type !== 'turn.end') throw new Error('not an end')
      const usage = { model: { inputTokens: input, outputTokens: 1 } }
      return { ...command, ended: { ...command.ended, data: { ...command.ended.data, modelUsage: usage } } }
    }
    const later: Command = { type: 'turn.start', turnId: 'trn_000002' as TurnId } // a literal that matches the id's shape
    const before = given(created('task'), send(), start, send(two), ended(100), later)
    const completed = decide(before, ended(5)).find((event) => event.type === 'AgentSessionCompleted')
    expect(completed?.data).toMatchObject({ numTurns: 4, modelUsage: { model: { inputTokens: 105 } } })
  })

  it.each([
    ['turn_limit', 'AgentSessionTurnLimitReached'],
    ['budget_limit', 'AgentSessionBudgetExceeded'],
    ['failed', 'AgentSessionFailed'],
  ] as const)('logs why a turn ended as %s', (outcome, type) => {
    expect(types(decide(given(...running), end(outcome)))).toContain(type)
  })

  it('refuses to start without money and keeps the message', () => {
    const spent = draft('UsageRecorded', {
      requestId: 'r',
      apiMessageId: 'm',
      model: 'claude-sonnet-4-6',
      servedModel: 'simulator',
      tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
      costUsd: 5,
      source: 'gateway',
    })
    const state = given(created(), spent, send(), start)
    expect(state?.status).toBe('stopped_budget')
    expect(state?.queued).toHaveLength(1)
  })
})

describe('interrupt, cancel, close', () => {
  it('interrupts in two phases and refuses a second request in between', () => {
    expect(statusAfter(...running, interrupt)).toBe('interrupting')
    expect(codeOf(() => decide(given(...running, interrupt), interrupt))).toBe('session.busy')
    expect(statusAfter(...running, interrupt, end('interrupted'))).toBe('interrupted')
  })

  it('refuses to interrupt a resting session', () => {
    expect(codeOf(() => decide(given(created()), interrupt))).toBe('session.not-running')
  })

  it('cancels a resting session at once and a running one when its process is gone', () => {
    expect(statusAfter(created(), cancel)).toBe('cancelled')
    expect(statusAfter(...running, cancel)).toBe('cancelling')
    expect(statusAfter(...running, cancel, end('interrupted'))).toBe('cancelling')
    expect(statusAfter(...running, cancel, end('interrupted'), { type: 'session.confirm-cancel' })).toBe('cancelled')
  })

  it('cancels a session that is being interrupted', () => {
    expect(statusAfter(...running, interrupt, cancel)).toBe('cancelling')
  })

  it('does not close a working session', () => {
    expect(codeOf(() => decide(given(...running), close))).toBe('session.busy')
  })

  it('starts no turn in a session that was closed in the meantime', () => {
    expect(decide(given(created(), send(), cancel), start)).toEqual([])
    expect(decide(given(created(), send(), close), start)).toEqual([])
    expect(decide(given(...running, send(two), cancel, end('interrupted')), start)).toEqual([])
  })

  it('closes once', () => {
    expect(types(decide(given(created()), close))).toEqual(['AgentSessionCompleted', 'AgentSessionStatusChanged'])
    expect(codeOf(() => decide(given(created(), close), close))).toBe('session.closed')
  })
})

describe('approvals', () => {
  it('waits for a person and continues when the last approval is decided', () => {
    expect(statusAfter(...running, request())).toBe('waiting_approval')
    expect(statusAfter(...running, request(), request(ask2), answer(ask1))).toBe('waiting_approval')
    expect(statusAfter(...running, request(), request(ask2), answer(ask1), answer(ask2))).toBe('running')
  })

  it('waits again for an approval that an earlier turn left open, unless it is decided first', () => {
    const takeUp: Command = { type: 'ask.take-up', id: ask1, toolUseId: 'tool_again' }
    const again = [...running, request(), end('crashed', true), send(two), start] as const
    expect(statusAfter(...again)).toBe('running')
    expect(statusAfter(...again, takeUp)).toBe('waiting_approval')
    expect(decide(given(...again, answer(ask1)), takeUp)).toEqual([])
  })

  it('continues when the approval it took up is decided, whatever else an earlier turn left open', () => {
    const takeUp: Command = { type: 'ask.take-up', id: ask1, toolUseId: 'tool_again' }
    const later: Command = { type: 'turn.start', turnId: laterTurn }
    const both = [...running, request(), request(ask2, 'rm x'), end('crashed', true), send(two), later, takeUp] as const
    expect(statusAfter(...both)).toBe('waiting_approval')
    expect(statusAfter(...both, answer(ask1))).toBe('running')
    expect(statusAfter(...both, expireAsk(ask1))).toBe('running')
    expect(given(...both, interrupt, end('interrupted'))?.approvals.map(({ approvalId }) => approvalId)).toEqual([ask2])
  })

  it('refuses a second decision on the same approval and names the first person', () => {
    const state = given(...running, request(), answer(ask1))
    expect(codeOf(() => decide(state, answer(ask1, { by: 'cara' })))).toBe('approval.already-decided')
    expect(() => decide(state, answer(ask1))).toThrow(/decided by ben/)
  })

  it('refuses a decision on an unknown approval', () => {
    expect(codeOf(() => decide(given(...running), answer(ask1)))).toBe('approval.not-found')
  })

  it('records an edited input and the rule that a person added for the session', () => {
    const edited = decide(given(...running, request()), answer(ask1, { input: { command: 'ls -l' } }))
    expect(edited[0]?.data).toMatchObject({ edited: true, toolInput: { command: 'ls -l' } })
    expect(given(...running, request(), answer(ask1, { decision: 'allow_session' }))?.rules).toEqual([
      { tool: 'Bash', pattern: 'ls' },
    ])
  })

  it('adds a wider rule that was offered, and refuses any other', () => {
    const wider = { tool: 'mcp__notes', pattern: null }
    const asked = requestApproval(ask1, { widerRules: [wider] })
    const allowBy = (rule: PermissionRule) => answer(ask1, { decision: 'allow_session', rule })
    expect(given(...running, asked, allowBy(wider))?.rules).toEqual([wider])
    const other = { tool: 'mcp__other', pattern: null }
    expect(() => decide(given(...running, asked), allowBy(other))).toThrow(/mcp__other is not offered.*mcp__notes/)
    expect(() => decide(given(...running, request()), allowBy(wider))).toThrow(/not offered/)
  })

  it('expires the approvals of a turn that a person interrupted', () => {
    const state = given(...running, request(), interrupt, end('interrupted'))
    expect(state?.approvals).toEqual([])
    expect(codeOf(() => decide(state, answer(ask1)))).toBe('approval.already-decided')
  })

  it('refuses a decision for a turn that is being interrupted, so that it does not start again', () => {
    const state = given(...running, request(), interrupt)
    expect(codeOf(() => decide(state, answer(ask1, { isLive: false })))).toBe('session.busy')
  })

  it('keeps an approval open when its process died, and shows that a person is needed', () => {
    const state = given(...running, request(), end('crashed', true))
    expect(state?.status).toBe('waiting_approval')
    expect(state?.approvals).toHaveLength(1)
  })
})

describe('decisions without a process', () => {
  const orphaned = [...running, request(), request(ask2, 'rm x'), recover] as const
  const later: Command = { type: 'turn.start', turnId: laterTurn }
  const meanwhile = [...running, request(), recover, send(two), later, answer(ask1, { isLive: false })] as const

  it('wake the agent once, after the last one, with every decision', () => {
    expect(types(decide(given(...orphaned), answer(ask1, { isLive: false })))).toEqual(['ApprovalDecided'])
    const state = given(
      ...orphaned,
      answer(ask1, { isLive: false, input: { command: 'ls -l' } }),
      answer(ask2, { isLive: false, decision: 'deny', note: 'no' }),
    )
    const wake = state?.queued[0]
    expect(wake?.origin).toBe('engine')
    expect(parseApprovedCalls(wake?.content ?? '')).toEqual([{ tool: 'Bash', input: { command: 'ls -l' } }])
    expect(parseDeniedCalls(wake?.content ?? '')).toEqual([{ tool: 'Bash', input: { command: 'rm x' }, note: 'no' }])
    expect(state?.status).toBe('queued')
  })

  it('let an approved call through once', () => {
    const use: Command = { type: 'approval.use', approvalId: ask1, toolUseId: 'again' }
    const decided = [...running, request(), recover, answer(ask1, { isLive: false })] as const
    expect(given(...decided)?.grants).toHaveLength(1)
    expect(given(...decided, use)?.grants).toEqual([])
    expect(codeOf(() => decide(given(...decided, use), use))).toBe('approval.already-decided')
  })

  it('are recorded as unused when the agent never issues the approved call again', () => {
    const woken = given(...running, request(), recover, answer(ask1, { isLive: false }), start)
    expect(types(decide(woken, end('completed')))).toContain('ApprovalUnused')
  })

  it('keep a grant whose wake message has not been delivered yet', () => {
    const state = given(...meanwhile)
    expect(types(decide(state, end('completed')))).not.toContain('ApprovalUnused')
  })

  it('are reported to a running turn only at its end, and only if it has not learned of them itself', () => {
    const use: Command = { type: 'approval.use', approvalId: ask1, toolUseId: 'again' }
    expect(given(...meanwhile)?.queued).toEqual([])
    const reported = given(...meanwhile, send(three), end('completed'))
    expect(reported).toMatchObject({
      status: 'queued',
      queued: [{ messageId: wakeId, origin: 'engine' }, { messageId: three }],
    })
    expect(statusAfter(...meanwhile, use, end('completed'))).toBe('idle')
  })

  it('are reported even after a crash', () => {
    const queued = [{ messageId: wakeId }, { messageId: two }]
    expect(given(...meanwhile, recover)).toMatchObject({ status: 'queued', queued })
  })

  it('are reported when the last other ask has expired', () => {
    expect(given(...orphaned, answer(ask1, { isLive: false }), expireAsk(ask2))).toMatchObject({
      status: 'queued',
      queued: [{ messageId: wakeId }],
    })
    expect(statusAfter(...orphaned, expireAsk(ask1), expireAsk(ask2))).toBe('interrupted')
  })

  it('keep a task open until the agent knows them', () => {
    const task = [created('task'), ...meanwhile.slice(1)] as const
    expect(statusAfter(...task, end('completed'))).toBe('queued')
  })
})

describe('recovery', () => {
  it('ends the interrupted turn, keeps the seen text and names tools whose outcome is unknown', () => {
    const tool = draft('AgentInvokedTool', { toolName: 'Bash', toolInput: {}, toolUseId: 't1', messageId: 'm1' })
    const drafts = decide(given(...running, tool), {
      type: 'session.recover',
      openTexts: [{ messageId: 'm2', agent: null, text: 'I was say' }],
      wakeMessageId: wakeId,
    })
    expect(types(drafts)).toEqual([
      'AgentStreamDiscarded',
      'TurnEnded',
      'AgentSessionRecovered',
      'AgentSessionStatusChanged',
    ])
    expect(drafts[2]?.data).toMatchObject({ outcomeUnknown: [{ toolUseId: 't1', toolName: 'Bash' }] })
    expect(statusAfter(...running, tool, recover)).toBe('interrupted')
  })

  it('does not name a tool that still waited for a person', () => {
    const call = { toolName: 'Bash', toolInput: {}, toolUseId: `tool_${ask1}`, messageId: 'm1' }
    const drafts = decide(given(...running, draft('AgentInvokedTool', call), request()), recover)
    const recovered = drafts.find((event) => event.type === 'AgentSessionRecovered')
    expect(recovered?.data).toMatchObject({ outcomeUnknown: [], openApprovals: 1 })
    expect(statusAfter(...running, draft('AgentInvokedTool', call), request(), recover)).toBe('waiting_approval')
  })

  it('starts again with a message of which the agent has shown nothing, and with pending reports', () => {
    const drafts = decide(given(...running), recover)
    expect(types(drafts)).toContain('UserMessageReturned')
    expect(given(...running, recover)).toMatchObject({ status: 'queued', queued: [{ messageId: one }] })
    const thought = draft('AgentThought', { text: 'Hm.', messageId: 'm1' })
    expect(given(...running, thought, recover)).toMatchObject({ status: 'interrupted', queued: [] })
    const woken = [...running, request(), recover, answer(ask1, { isLive: false }), start] as const
    expect(given(...woken, recover)).toMatchObject({
      status: 'queued',
      queued: [{ origin: 'engine', content: expect.stringContaining('Bash') }],
      grants: [{ approvalId: ask1 }],
    })
  })

  it('completes a cancel that was under way', () => {
    expect(statusAfter(...running, cancel, recover)).toBe('cancelled')
  })

  it('does nothing for a session that rested', () => {
    expect(decide(given(created()), recover)).toEqual([])
  })
})
