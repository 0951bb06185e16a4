import { draft } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { loggedEvent } from './logged-event.fixture.ts'
import { foldMoment, noMoment } from './moment.ts'
import { thought, turnEnded } from './sample-events.fixture.ts'

const retrying = loggedEvent(
  draft('ModelRequestRetrying', { attempt: 2, maxRetries: 5, delayMs: 8000, status: 529, error: 'overloaded' }),
  { seq: 1, at: 1_000_000 },
)
const inLine = (position: number) =>
  ({
    type: 'QueuePlaceChanged',
    agent: null,
    data: { place: { reason: 'process', position, waiting: 4 } },
  }) as const

it('knows when the next try goes out, until the model answers or the turn is over', () => {
  const waiting = foldMoment(noMoment, [retrying])
  expect(waiting.retry).toEqual({ attempt: 2, maxRetries: 5, error: 'overloaded', nextAt: 1_008_000 })
  expect(foldMoment(waiting, [loggedEvent(thought('Hello'), { seq: 2 })]).retry).toBeNull()
  expect(foldMoment(waiting, [loggedEvent(turnEnded, { seq: 2 })]).retry).toBeNull()
})

it('knows the place in line, until it is through', () => {
  const third = foldMoment(noMoment, [inLine(4), inLine(3)])
  expect(third.place).toEqual({ reason: 'process', position: 3, waiting: 4 })
  const through = { ...inLine(1), data: { place: null } }
  expect(foldMoment(third, [through]).place).toBeNull()
})

it('stays the same thing while nothing about it changes', () => {
  const third = foldMoment(noMoment, [inLine(3)])
  expect(foldMoment(third, [loggedEvent(draft('AgentSessionWoken', { reason: 'intent' }), { seq: 2 })])).toBe(third)
})
