import { expect, it } from 'vitest'
import { draft, type EventDraft } from '../../events/session-event.ts'
import { BudgetId } from '../../values/ids.ts'
import type { SessionStatus } from '../../values/session-status.ts'
import { created, logOf, queued, requested, turnStarted } from '../sample-log.fixture.ts'
import { foldSession } from './fold-session.ts'
import { resumeObstacle } from './resume-obstacle.ts'

function after(...drafts: readonly EventDraft[]) {
  const state = foldSession(null, logOf([created, ...drafts]))
  if (state === null) throw new Error('no session')
  return state
}

const movedTo = (to: SessionStatus) => draft('AgentSessionStatusChanged', { from: 'running', to, reason: null })
const sums = { totalCostUsd: 0.1, limitUsd: 5 }

it('returns out-of-money when the own budget stopped the session, even if only the next request did not fit', () => {
  const exceeded = draft('AgentSessionBudgetExceeded', sums)
  expect(resumeObstacle(after(queued(1), exceeded, movedTo('stopped_budget')))).toBe('out-of-money')
})

it('returns no obstacle when another budget stopped the session', () => {
  const budget = { budget: 'everybody per day', budgetId: BudgetId.parse('bud_000001') }
  const exceeded = draft('AgentSessionBudgetExceeded', { ...sums, ...budget })
  expect(resumeObstacle(after(queued(1), exceeded, movedTo('stopped_budget')))).toBeNull()
})

it('returns out-of-time when the time limit is used up, because the turn would end at once', () => {
  const session = { ...after(queued(1), movedTo('failed')), wasCutOff: true }
  expect(resumeObstacle(session)).toBeNull()
  expect(resumeObstacle({ ...session, durationMs: session.limits.maxDurationMs })).toBe('out-of-time')
})

it.each([
  ['paused', null],
  ['interrupted', null],
  ['idle', 'no-work'],
  ['completed', 'no-work'],
  ['cancelled', 'no-work'],
  ['queued', 'continuing'],
  ['resuming', 'continuing'],
] as const)('for a session that is %s, returns %s', (status, obstacle) => {
  expect(resumeObstacle(after(movedTo(status)))).toBe(obstacle)
})

it('returns open-asks for an open ask without a turn, and continuing while the turn runs', () => {
  const waiting = [turnStarted(1), requested(1), movedTo('waiting_approval')]
  expect(resumeObstacle(after(...waiting))).toBe('continuing')
  expect(resumeObstacle({ ...after(...waiting), turn: null })).toBe('open-asks')
})
