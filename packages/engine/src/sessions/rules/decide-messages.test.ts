import { type Command, draft, type SessionState } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import {
  cancel as cancelSession,
  close,
  created,
  end,
  type GivenStep,
  given,
  messageId,
  pause,
  recover,
  refusal,
  running,
  send,
  start,
  statusAfter,
  turnId,
  types,
} from './given-session.fixture.ts'

const edit = (number: number, content = 'better'): Command => ({
  type: 'message.edit',
  messageId: messageId(number),
  content,
  by: 'ben',
})
const cancel = (number: number): Command => ({ type: 'message.cancel', messageId: messageId(number), by: 'ben' })
const promote = (number: number, delivery?: 'immediate'): Command => ({
  type: 'message.promote',
  messageId: messageId(number),
  delivery,
  by: 'ben',
})
const sendNow = (number: number) => promote(number, 'immediate')
const steer = (number: number): Command => ({ type: 'turn.steer', messageId: messageId(number) })

const order = (state: SessionState | null) => state?.queued.map((message) => message.messageId)
const engineMessage = send(7, { origin: 'engine', by: 'quarterdeck' })

describe('a queued message', () => {
  it('is delivered as it was edited', () => {
    const state = given(...running, send(2), edit(2))
    expect(state?.queued).toMatchObject([{ messageId: messageId(2), content: 'better' }])
  })

  it('is not changed by an edit with the same text', () => {
    expect(decide(given(...running, send(2)), edit(2, 'message 2'))).toEqual([])
  })

  it('can be cancelled, and the others keep their order', () => {
    expect(order(given(...running, send(2), send(3), send(4), cancel(3)))).toEqual([messageId(2), messageId(4)])
  })

  it('can be moved to the front, behind messages of the engine', () => {
    expect(order(given(...running, send(2), send(3), engineMessage, promote(3)))).toEqual([
      messageId(7),
      messageId(3),
      messageId(2),
    ])
  })

  it('that is first already is not promoted again', () => {
    expect(decide(given(...running, engineMessage, send(2), send(3)), promote(2))).toEqual([])
  })

  it.each([
    ['edited', edit],
    ['taken back', cancel],
    ['promoted', promote],
  ] as const)('cannot be %s once it was delivered or cancelled, or if it never existed', (_, change) => {
    expect(refusal(running, change(1))).toBe('message.delivered')
    expect(refusal([...running, send(2), cancel(2)], change(2))).toBe('message.delivered')
    expect(refusal(running, change(5))).toBe('message.not-found')
  })

  it.each([
    ['edited', edit],
    ['taken back', cancel],
    ['promoted', promote],
  ] as const)('of the engine cannot be %s by a person', (_, change) => {
    expect(refusal([...running, engineMessage], change(7))).toBe('request.invalid')
  })

  it('cannot be changed in a closed session', () => {
    for (const closing of [close, cancelSession]) {
      expect(refusal([created(), send(), closing], edit(1))).toBe('session.closed')
    }
  })
})

describe('cancelling the last message', () => {
  const failed = [...running, end('failed'), draft('AgentSessionFailed', { errors: [], reason: 'broken' })]

  it.each([
    ['idle', [created()]],
    ['idle', [...running, end('completed')]],
    ['failed', failed],
    ['interrupted', [...running, end('crashed'), send(3), cancel(3)]],
  ] as const)('returns a queued session to %s', (status, steps: readonly GivenStep[]) => {
    expect(statusAfter(...steps, send(2))).toBe('queued')
    expect(statusAfter(...steps, send(2), cancel(2))).toBe(status)
  })

  it('leaves a session queued that has another message', () => {
    expect(statusAfter(created(), send(), send(2), cancel(1))).toBe('queued')
  })

  it('leaves a pause and a running turn as they are', () => {
    expect(statusAfter(created(), send(), pause, cancel(1))).toBe('paused')
    expect(statusAfter(...running, send(2), cancel(2))).toBe('running')
  })
})

describe('a message for the running turn', () => {
  const immediate = send(2, { delivery: 'immediate' })

  it('stays queued in the log until the turn has it', () => {
    expect(given(...running, immediate)?.queued).toMatchObject([{ messageId: messageId(2), delivery: 'immediate' }])
  })

  it('is delivered into the turn that took it, once', () => {
    const drafts = decide(given(...running, immediate), steer(2))
    expect(drafts).toEqual([draft('UserMessageDelivered', { messageId: messageId(2) }, { turnId })])
    expect(decide(given(...running, immediate, steer(2)), steer(2))).toEqual([])
    expect(given(...running, immediate, steer(2))?.queued).toEqual([])
  })

  it('that a turn took in its last moment is not queued for another', () => {
    const ended = [...running, immediate, end('completed')]
    expect(statusAfter(...ended)).toBe('queued')
    expect(types(decide(given(...ended), steer(2)))).toEqual(['UserMessageDelivered', 'AgentSessionStatusChanged'])
    expect(statusAfter(...ended, steer(2))).toBe('idle')
  })

  it.each([2, 3])('can be one that was queued for the next turn (position %i)', (number) => {
    const state = given(...running, send(2), send(3), sendNow(number))
    expect(state?.queued[0]).toMatchObject({ messageId: messageId(number), delivery: 'immediate' })
    expect(state?.queued).toHaveLength(2)
    expect(decide(state, sendNow(number))).toEqual([])
    expect(decide(state, promote(number))).toEqual([])
  })

  it('cannot be one that a turn already had', () => {
    expect(refusal(running, sendNow(1))).toBe('message.delivered')
  })

  it('keeps its delivery when it is moved to the front', () => {
    const state = given(...running, send(2), send(3, { delivery: 'immediate' }), promote(3))
    expect(state?.queued[0]).toMatchObject({ messageId: messageId(3), delivery: 'immediate' })
  })

  it('starts a turn of its own when none runs', () => {
    expect(statusAfter(created(), immediate)).toBe('queued')
    expect(types(decide(given(created(), immediate), start))).toContain('TurnStarted')
  })

  it('keeps a task open until it was received', () => {
    const task = [created('task'), send(), start, immediate]
    expect(statusAfter(...task, end('completed'))).toBe('queued')
    expect(statusAfter(...task, steer(2), end('completed'))).toBe('completed')
  })
})

describe('messages that a turn took', () => {
  const immediate = (number: number) => send(number, { delivery: 'immediate' })
  const begun = draft('AgentThought', { text: 'Hm.', messageId: 'm1' })
  const steered = [...running, begun, immediate(2), immediate(3), steer(2), steer(3)]

  it.each([
    ['crashes', end('crashed'), 'the agent process ended'],
    ['was running when the server died', recover, 'the server stopped'],
  ])('are queued again when it %s, in their order and before all others', (_, crash, reason) => {
    const drafts = decide(given(...steered, send(4)), crash)
    expect(drafts.filter(({ type }) => type === 'UserMessageReturned')).toEqual([
      draft('UserMessageReturned', { messageId: messageId(3), reason }, { turnId }),
      draft('UserMessageReturned', { messageId: messageId(2), reason }, { turnId }),
    ])
    expect(order(given(...steered, send(4), crash))).toEqual([messageId(2), messageId(3), messageId(4)])
    expect(statusAfter(...steered, crash)).toBe('queued')
  })

  it('are queued behind messages of the engine', () => {
    expect(order(given(...steered, engineMessage, end('crashed')))).toEqual([messageId(7), messageId(2), messageId(3)])
  })

  it('can be edited and cancelled while they are queued again', () => {
    const state = given(...steered, end('crashed'), edit(2), cancel(3))
    expect(state?.queued).toMatchObject([{ messageId: messageId(2), content: 'better' }])
  })

  it.each(['completed', 'failed', 'interrupted', 'timeout', 'turn_limit', 'budget_limit'] as const)(
    'are settled when it ends as %s',
    (outcome) => {
      expect(given(...steered, end(outcome))).toMatchObject({ queued: [], steered: [] })
    },
  )

  it.each([
    ['crashes', end('crashed')],
    ['was running when the server died', recover],
  ])('are dropped when a cancelled turn %s', (_, crash) => {
    expect(given(...steered, cancelSession, crash)?.queued).toEqual([])
  })

  it('are returned once: a turn that crashes with one as its own message does not start again', () => {
    const again = [...running, immediate(2), steer(2), end('crashed'), start, end('crashed')]
    expect(given(...again)).toMatchObject({ status: 'failed', queued: [], steered: [] })
  })

  it('stay queued in a paused session until it is resumed', () => {
    expect(given(...steered, pause, end('crashed'))).toMatchObject({
      status: 'paused',
      queued: [{ messageId: messageId(2) }, { messageId: messageId(3) }],
    })
  })
})
