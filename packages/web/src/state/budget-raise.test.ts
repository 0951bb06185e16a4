import { type Budget, BudgetId, type InboxItem } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { budgetsBehind, isOwnLimit, suggestLimit } from './budget-raise.ts'
import { sessionId } from './logged-event.fixture.ts'

type Stopped = Extract<InboxItem, { type: 'budget' }>

const stopped: Stopped = {
  type: 'budget',
  at: '2026-05-04T10:00:00.000Z',
  sessionId,
  agentName: 'coder',
  title: 'Fix it',
  spentUsd: 0.4,
  limitUsd: 5,
  reason: 'the budget of agent coder per day is used up',
  isOwnLimit: false,
}

let made = 0
const budget = (change: Partial<Budget>): Budget => {
  made += 1
  return {
    budgetId: BudgetId.parse(`bud_${String(made).padStart(6, '0')}`),
    scope: 'agent',
    subject: 'coder',
    period: 'day',
    unit: 'usd',
    limit: 10,
    spent: 1,
    createdBy: 'ana',
    createdAt: '2026-05-04T09:00:00.000Z',
    ...change,
  }
}

it('suggests a limit beyond what is spent, as people write sums', () => {
  expect(suggestLimit(5, 5)).toBe(7.5)
  expect(suggestLimit(0.11, 0.1)).toBe(0.2)
  expect(suggestLimit(4.9, 5)).toBe(7.5)
  expect(suggestLimit(80, 60)).toBe(150)
  expect(suggestLimit(0, 0)).toBe(1)
  for (const sum of [0.003, 0.1, 0.7, 1, 3.33, 9.99, 42, 1234]) expect(suggestLimit(sum, sum)).toBeGreaterThan(sum)
})

it('finds the budget the reason names, also where it is meant for each agent', () => {
  const own = budget({})
  const each = budget({ subject: '*' })
  const other = budget({ subject: 'writer' })
  const all = budget({ scope: 'all', subject: null, spent: 10 })
  expect(budgetsBehind(stopped, [all, other, own])).toEqual([own])
  expect(budgetsBehind(stopped, [all, each, other])).toEqual([each])
})

it('offers what is nearly used up where the reason names none', () => {
  const full = budget({ scope: 'all', subject: null, spent: 9 })
  const foreign = budget({ subject: 'writer', spent: 10 })
  expect(budgetsBehind({ ...stopped, reason: 'no money' }, [budget({}), full, foreign])).toEqual([full])
})

it('knows the session’s own limit also when a reservation stopped it below the limit', () => {
  expect(isOwnLimit(stopped)).toBe(false)
  expect(isOwnLimit({ ...stopped, reason: 'budget limit reached' })).toBe(true)
  expect(isOwnLimit({ ...stopped, isOwnLimit: true })).toBe(true)
})
