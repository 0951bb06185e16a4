import type { SessionService } from '@quarterdeck/engine'
import {
  draft,
  EventId,
  type EventOfType,
  type EventType,
  QuarterdeckError,
  SessionEvent,
  SessionId,
  type SessionStatus,
  UserMessageId,
} from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createSessionInterrupt } from './interrupt-session.ts'

const sessionId = SessionId.parse('ses_000001')
const one = UserMessageId.parse('umsg_000001')
const two = UserMessageId.parse('umsg_000002')

function event<Type extends EventType>(type: Type, data: EventOfType<Type>['data']): SessionEvent {
  const envelope = { seq: 1, id: EventId.parse('evt_000001'), v: 1, sessionId, at: '2025-01-01T00:00:00.000Z' }
  return SessionEvent.parse({ ...envelope, ...draft(type, data) })
}
const turnOf = (messageId: UserMessageId) => event('TurnStarted', { messageIds: [messageId], model: 'm' })
const statusTo = (to: SessionStatus) => event('AgentSessionStatusChanged', { from: 'queued', to, reason: null })

/** A session with these queued messages. */
function sessionWith(queued: readonly UserMessageId[], status: SessionStatus = 'queued') {
  const session = { isRunning: false, stops: 0, onSnapshot: () => {} }
  const sessions = {
    interrupt: async () => {
      if (!session.isRunning) throw new QuarterdeckError('session.not-running', 'nothing runs')
      session.stops += 1
    },
    getSession: async () => {
      const state = { session: { status, queued: queued.map((messageId) => ({ messageId })) } }
      session.onSnapshot()
      return state
    },
  } as unknown as SessionService // only these two are called
  const failures: unknown[] = []
  const fail = (error: unknown) => void failures.push(error)
  const { interrupt, note } = createSessionInterrupt({ sessions, sessionId, by: 'ana', fail })
  const begin = (messageId: UserMessageId) => {
    session.isRunning = true
    note(turnOf(messageId))
  }
  return { session, failures, interrupt, note, begin }
}

it('stops the turn of a queued message when it starts, and no later turn', async () => {
  const { session, failures, interrupt, begin } = sessionWith([one, two])
  await interrupt()
  expect(session.stops).toBe(0)
  begin(one)
  begin(two)
  expect(session.stops).toBe(1)
  expect(failures).toEqual([])
})

it('does not stop the turn of a later message', async () => {
  const { session, interrupt, begin } = sessionWith([one])
  await interrupt()
  begin(two)
  expect(session.stops).toBe(0)
})

it.each([
  ['taken back', event('UserMessageCancelled', { messageId: one, by: 'ana' })],
  ['handed into another turn', event('UserMessageDelivered', { messageId: one })],
  ['held, because the session was paused', statusTo('paused')],
])('is dropped with a message that is %s', async (_, changes) => {
  const { session, interrupt, note, begin } = sessionWith([one])
  await interrupt()
  note(changes)
  begin(one)
  expect(session.stops).toBe(0)
})

it.each(['paused', 'stopped_budget'] as const)('does nothing to a session that is %s', async (status) => {
  const { session, interrupt, begin } = sessionWith([one], status)
  await interrupt()
  begin(one)
  expect(session.stops).toBe(0)
})

it('stops a turn that started during the check, and no further one', async () => {
  const { session, interrupt, begin } = sessionWith([one, two])
  session.onSnapshot = () => begin(one)
  await interrupt()
  begin(two)
  expect(session.stops).toBe(1)
})
