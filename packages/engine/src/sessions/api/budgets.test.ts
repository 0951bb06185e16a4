import { expect, it } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { refusedWith } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

it('keeps a budget deleted that is deleted during a change, and rejects the change', async () => {
  const { sessions } = await openTestRuntime({ backend: createScriptedBackend({ script: [] }) })
  const { budgetId } = await sessions.createBudget({ scope: 'all', period: 'day', limit: 1 }, 'root')
  const first = sessions.changeBudget(budgetId, { limit: 2 }, 'root')
  const removed = sessions.removeBudget(budgetId, 'root')
  const late = refusedWith(sessions.changeBudget(budgetId, { limit: 3 }, 'root'), 'budget.not-found')
  await Promise.all([first, removed, late])
  expect((await sessions.listBudgets()).budgets).toEqual([])
})
