import { draft } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { loggedEvent } from '../testing/logged-event.fixture.ts'
import { thought, turnEnded } from '../testing/sample-events.fixture.ts'
import { emptyTransientState, foldTransientState } from './transient-state.ts'

const retrying = loggedEvent(
  draft('ModelRequestRetrying', { attempt: 2, maxRetries: 5, delayMs: 8000, status: 529, error: 'overloaded' }),
  { seq: 1, at: 1_000_000 },
)
const queuedAt = (position: number) =>
  ({
    type: 'QueuePlaceChanged',
    agent: null,
    data: { queuePosition: { reason: 'process', position, waiting: 4 } },
  }) as const

it('holds the time of the next attempt until the model responds or the turn ends', () => {
  const waiting = foldTransientState(emptyTransientState, [retrying])
  expect(waiting.retry).toEqual({ attempt: 2, maxRetries: 5, error: 'overloaded', nextAt: 1_008_000 })
  expect(foldTransientState(waiting, [loggedEvent(thought('Hello'), { seq: 2 })]).retry).toBeNull()
  expect(foldTransientState(waiting, [loggedEvent(turnEnded, { seq: 2 })]).retry).toBeNull()
})

it('holds the queue position until the session leaves the queue', () => {
  const third = foldTransientState(emptyTransientState, [queuedAt(4), queuedAt(3)])
  expect(third.queuePosition).toEqual({ reason: 'process', position: 3, waiting: 4 })
  const through = { ...queuedAt(1), data: { queuePosition: null } }
  expect(foldTransientState(third, [through]).queuePosition).toBeNull()
})

it('returns the same object while nothing changes', () => {
  const third = foldTransientState(emptyTransientState, [queuedAt(3)])
  expect(foldTransientState(third, [loggedEvent(draft('AgentSessionWoken', { reason: 'intent' }), { seq: 2 })])).toBe(
    third,
  )
})
