import { type ApprovalId, type Command, draft, type SessionId, type TurnId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { allow as allowed, answerAsk, requestApproval } from './given-asks.fixture.ts'
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
  refusal,
  resume,
  running,
  send,
  start,
  statusAfter,
  types,
} from './given-session.fixture.ts'

const approvalId = (number = 1) => `apr_00000${number}` as ApprovalId // a literal that matches the id's shape
const ask = (number = 1): Command => requestApproval(approvalId(number))
const allow = answerAsk(approvalId(), allowed, { isLive: false, wakeMessageId: messageId(7) })

const thought = draft('AgentThought', { text: 'Hm.', messageId: 'm1' })
const shownText = { messageId: 'm1', agent: null, text: 'I was say' }
const shown = draft('AgentStreamDiscarded', { messageId: 'm1', text: 'I was say', reason: 'interrupted' })
const recoverText: Command = { type: 'session.recover', openTexts: [shownText], wakeMessageId: messageId(9) }
const nextTurn: Command = { type: 'turn.start', turnId: 'trn_000002' as TurnId } // a literal that matches the id's shape

const paused = [...running, pause, end('interrupted')] as const
const contents = (steps: readonly GivenStep[]) => given(...steps)?.queued.map(({ content }) => content)
const unsaved = (steps: readonly GivenStep[]) => given(...steps)?.unsaved.map(({ content }) => content)
const perDay = { budget: 'everybody per day', message: 'budget limit reached' }
const stoppedByOther = [...running, end('budget_limit', { stop: perDay })] as const
const origins = (steps: readonly GivenStep[]) => given(...steps)?.queued.map(({ origin }) => origin)

describe('pause', () => {
  it('stops the running turn in two phases', () => {
    expect(statusAfter(...running, pause)).toBe('pausing')
    expect(given(...paused)).toMatchObject({ status: 'paused', wasCutOff: true, turn: null })
  })

  it.each([
    ['idle', [created()]],
    ['queued', [created(), send()]],
    ['failed', [...running, end('failed')]],
    ['waiting_approval', [...running, ask(), end('crashed', { keepsAsks: true })]],
  ] as const)('pauses a session that is %s at once', (status, steps: readonly GivenStep[]) => {
    expect(statusAfter(...steps)).toBe(status)
    expect(statusAfter(...steps, pause)).toBe('paused')
  })

  it('holds the queue: no turn starts, and messages wait', () => {
    expect(decide(given(created(), send(), pause), start)).toEqual([])
    expect(types(decide(given(...paused), send(2)))).toEqual(['UserMessageQueued'])
    expect(statusAfter(...paused, send(2))).toBe('paused')
  })

  it('is refused a second time, and while another change is under way', () => {
    expect(refusal([...running, pause], pause)).toBe('session.busy')
    expect(refusal(paused, pause)).toBe('session.busy')
    expect(refusal([...running, interrupt], pause)).toBe('session.busy')
    expect(refusal([...running, cancel], pause)).toBe('session.closed')
    expect(refusal([created(), close], pause)).toBe('session.closed')
  })

  it('refuses an interrupt and a resume until the turn has ended', () => {
    expect(refusal([...running, pause], interrupt)).toBe('session.busy')
    expect(refusal([...running, pause], resume)).toBe('session.busy')
  })

  it.each(['completed', 'failed', 'crashed', 'budget_limit', 'turn_limit', 'timeout'] as const)(
    'applies even when the turn ends as %s by itself',
    (outcome) => {
      expect(statusAfter(...running, send(2), pause, end(outcome))).toBe('paused')
    },
  )

  it('has no effect on a task that is done', () => {
    expect(statusAfter(created('task'), send(), start, pause, end('completed'))).toBe('completed')
    expect(statusAfter(created('task'), send(), start, pause, end('interrupted'))).toBe('paused')
  })

  it('keeps the asks of the turn open', () => {
    const state = given(...running, ask(), pause, end('interrupted'))
    expect(state).toMatchObject({ status: 'paused', approvals: [{ approvalId: 'apr_000001' }] })
  })

  it('holds an answer that arrives meanwhile until the resume', () => {
    const answered = [...running, ask(), pause, end('interrupted'), allow]
    expect(given(...answered)).toMatchObject({ status: 'paused', approvals: [], queued: [{ origin: 'engine' }] })
    expect(statusAfter(...answered, resume)).toBe('queued')
    expect(contents([...answered, resume])).toHaveLength(1)
  })

  it('is completed after a crash of the server', () => {
    expect(given(...running, pause, recover)).toMatchObject({ status: 'paused', wasCutOff: true })
  })

  it('can be followed by a cancel or a close', () => {
    expect(statusAfter(...running, pause, cancel)).toBe('cancelling')
    expect(statusAfter(...paused, cancel)).toBe('cancelled')
    expect(statusAfter(...paused, close)).toBe('completed')
  })
})

describe('resume', () => {
  it('tells the agent to continue the interrupted work before anything else', () => {
    const drafts = decide(given(...paused, send(2)), resume)
    expect(types(drafts)).toEqual(['AgentSessionStatusChanged', 'UserMessageQueued', 'AgentSessionStatusChanged'])
    expect(drafts[0]).toMatchObject({ data: { from: 'paused', to: 'resuming', reason: 'by ana' } })
    expect(given(...paused, send(2), resume)).toMatchObject({ status: 'queued' })
    expect(origins([...paused, send(2), resume])).toEqual(['engine', 'user'])
  })

  it('continues the queue if no work was interrupted', () => {
    const held = [created(), send(), pause]
    expect(statusAfter(...held, resume)).toBe('queued')
    expect(origins([...held, resume])).toEqual(['user'])
  })

  it('restores the resting status of a session without work', () => {
    expect(statusAfter(created(), pause, resume)).toBe('idle')
    expect(statusAfter(...running, pause, end('completed'), resume)).toBe('idle')
  })

  it('waits again for open asks', () => {
    expect(statusAfter(...running, ask(), pause, end('interrupted'), resume)).toBe('waiting_approval')
  })

  it.each([
    ['interrupted', [...running, interrupt, end('interrupted')]],
    ['interrupted', [...running, thought, recover]],
    ['failed', [...running, thought, end('crashed')]],
    ['stopped_turns', [...running, end('turn_limit')]],
    ['stopped_budget', stoppedByOther],
  ] as const)('continues a session that is %s', (status, steps: readonly GivenStep[]) => {
    expect(statusAfter(...steps)).toBe(status)
    expect(statusAfter(...steps, resume)).toBe('queued')
    expect(origins([...steps, resume])).toEqual(['engine'])
  })

  it.each([
    ['failed', [...running, end('crashed')]],
    ['interrupted', [...running, recoverText]],
    ['paused', [...running, pause, recoverText]],
    ['interrupted', [...running, interrupt, recoverText]],
    ['interrupted', [...running, interrupt, shown, end('interrupted', { keepsAsks: true })]],
  ] as const)(
    'returns the message that a %s session may have lost with its process',
    (status, steps: readonly GivenStep[]) => {
      expect(given(...steps)).toMatchObject({ status, unsaved: [{ messageId: messageId(1) }] })
      expect(given(...steps, resume)).toMatchObject({
        status: 'queued',
        queued: [{ messageId: messageId(1), content: 'message 1' }],
        unsaved: [],
      })
      expect(given(...steps, resume, nextTurn, thought, end('completed'))).toMatchObject({ status: 'idle', queued: [] })
    },
  )

  it('continues without the message if its process remains, and after a message of the engine', () => {
    expect(given(...running, interrupt, shown, end('interrupted'))).toMatchObject({ unsaved: [] })
    expect(given(...running, pause, shown, end('interrupted'))).toMatchObject({ unsaved: [], wasCutOff: true })
    const again = [...running, thought, recover, resume, nextTurn, end('crashed')]
    expect(given(...again)).toMatchObject({ unsaved: [] })
    expect(origins([...again, resume])).toEqual(['engine'])
  })

  it('repeats unsaved messages in the prompts of later turns, until the agent has finished a part of an answer', () => {
    const cut = [...running, recoverText, send(2), nextTurn] as const
    const started = decide(given(...running, recoverText, send(2)), nextTurn).find(({ type }) => type === 'TurnStarted')
    expect(started?.data).toMatchObject({ messageIds: [messageId(1), messageId(2)] })
    expect(unsaved(cut)).toEqual(['message 1', 'message 2'])
    expect(unsaved([...cut, thought])).toEqual([])
    expect(unsaved([...cut, thought, end('crashed')])).toEqual([])
    // Shown text: the agent had begun to answer.
    expect(unsaved([...cut, recoverText])).toEqual(['message 1', 'message 2'])
    expect(contents([...cut, recoverText, resume])).toEqual(['message 1', 'message 2'])
    // The agent had shown nothing: its own message is queued again.
    expect(unsaved([...cut, recover])).toEqual(['message 1'])
    expect(contents([...cut, recover])).toEqual(['message 2'])
    // Its process could not be started.
    expect(unsaved([...cut, end('failed')])).toEqual(['message 1'])
    // The repeated message may cause the crashes.
    expect(unsaved([...cut, end('crashed')])).toEqual(['message 2'])
  })

  it('does not tell the agent twice', () => {
    const exceeded = { totalCostUsd: 0, limitUsd: 5, budget: perDay.budget }
    const again = [draft('AgentSessionBudgetExceeded', exceeded), draft('AgentSessionStatusChanged', stopped)]
    const broke = [...stoppedByOther, resume, ...again]
    expect(origins([...broke, { ...resume, continueMessageId: messageId(7) } as Command])).toEqual(['engine'])
  })

  it('is refused when nothing was stopped', () => {
    expect(refusal([created()], resume)).toBe('session.not-running')
    expect(refusal([...running, end('failed')], resume)).toBe('session.not-running')
  })

  it("is refused when the session's own budget stopped it, until its limit is raised", () => {
    expect(refusal([...running, end('budget_limit')], resume)).toBe('session.not-running')
  })

  it('is refused when the next request did not fit into the budget, but a new message starts a turn', () => {
    const broke = [...running, end('budget_limit')]
    expect(() => decide(given(...broke), resume)).toThrow(/raise limits\.maxBudgetUsd, or choose a cheaper model/)
    expect(types(decide(given(...broke, send(2)), start))).toContain('TurnStarted')
  })

  it('is refused while the session is continuing or waits for an answer', () => {
    expect(refusal(running, resume)).toBe('session.busy')
    expect(refusal([...paused, resume], resume)).toBe('session.busy')
    const waiting = [...running, ask(), end('crashed', { keepsAsks: true })]
    expect(refusal(waiting, resume)).toBe('session.busy')
  })

  it('is refused once the session is closed', () => {
    expect(refusal([...paused, close], resume)).toBe('session.closed')
    expect(refusal([...paused, cancel], resume)).toBe('session.closed')
  })
})

const stopped = { from: 'queued', to: 'stopped_budget', reason: null } as const

describe('a full context', () => {
  const full = [...running, end('failed', { reason: 'Prompt is too long' })]

  it('is a status of its own, and a message can continue from it', () => {
    expect(statusAfter(...full)).toBe('context_exhausted')
    expect(statusAfter(...full, send(2))).toBe('queued')
    expect(types(decide(given(...full, send(2)), start))).toContain('TurnStarted')
  })
})

describe('hibernating and waking', () => {
  const hibernate: Command = { type: 'session.hibernate', reason: 'idle' }
  const wake: Command = { type: 'session.wake', reason: 'intent' }

  it.each([
    ['idle', [created()]],
    ['paused', paused],
    ['waiting_approval', [...running, ask(), end('crashed', { keepsAsks: true })]],
  ] as const)('hibernates a session that is %s without changing its status', (status, steps: readonly GivenStep[]) => {
    expect(given(...steps, hibernate)).toMatchObject({ status, isHibernated: true })
    expect(given(...steps, hibernate, wake)).toMatchObject({ status, isHibernated: false })
  })

  it('does nothing while a turn runs, a second time, or for a closed session', () => {
    expect(decide(given(...running), hibernate)).toEqual([])
    expect(decide(given(created(), hibernate), hibernate)).toEqual([])
    expect(decide(given(created(), close), hibernate)).toEqual([])
    expect(decide(given(created()), wake)).toEqual([])
  })

  it('ends with the next turn', () => {
    expect(given(created(), hibernate, send(), start)?.isHibernated).toBe(false)
  })
})

it('records a fork in its source, even in a closed one', () => {
  const note: Command = { type: 'session.note-fork', toSessionId: 'ses_forked' as SessionId, seq: 3, by: 'ana' }
  expect(types(decide(given(created(), close), note))).toEqual(['AgentSessionForked'])
})
