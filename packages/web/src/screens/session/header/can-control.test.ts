import { BudgetId, draft, type EventDraft, foldSession } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { logOf } from '../../../stores/testing/logged-event.fixture.ts'
import { messageQueued, movedTo, sessionCreated } from '../../../stores/testing/sample-events.fixture.ts'
import { canResume } from './can-control.ts'

function after(...events: readonly EventDraft[]) {
  const state = foldSession(null, logOf(sessionCreated, messageQueued, ...events))
  if (state === null) throw new Error('nothing was created')
  return state
}

const sums = { totalCostUsd: 0.1, limitUsd: 5 }

it("offers no resume when the session's own budget is spent, even if only the next request did not fit", () => {
  expect(canResume(after(draft('AgentSessionBudgetExceeded', sums), movedTo('stopped_budget')))).toBe(false)
})

it('offers a resume when another budget stopped the session', () => {
  const budget = { budget: 'everybody per day', budgetId: BudgetId.parse('bud_000001') }
  const exceeded = draft('AgentSessionBudgetExceeded', { ...sums, ...budget })
  expect(canResume(after(exceeded, movedTo('stopped_budget')))).toBe(true)
})

it('offers no resume when the time limit is used up, because the turn would end at once', () => {
  const session = { ...after(movedTo('failed')), wasCutOff: true }
  expect(canResume(session)).toBe(true)
  expect(canResume({ ...session, durationMs: session.limits.maxDurationMs })).toBe(false)
})
