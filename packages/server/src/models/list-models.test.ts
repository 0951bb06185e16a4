import { type Budget, BudgetId, findModel, modelCatalog } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { listModels } from './list-models.ts'

const budget: Budget = {
  budgetId: BudgetId.parse('bud_0123456789'),
  scope: 'all',
  subject: null,
  period: 'month',
  unit: 'usd',
  limit: 10,
  spent: 0,
  createdBy: 'ana',
  createdAt: '2026-05-04T00:00:00.000Z',
}
const unpriced = modelCatalog.find(({ price }) => price === null)?.id

it('lists automatic selection first, then the whole catalog', () => {
  const models = listModels(modelCatalog, [])
  expect(models[0]).toMatchObject({ id: 'auto', label: 'Claude (Automatic Selection)', available: true, reason: null })
  expect(models.slice(1).map(({ id }) => id)).toEqual(modelCatalog.map(({ id }) => id))
  expect(models.every(({ available }) => available)).toBe(true)
  expect(models.find(({ id }) => id === unpriced)?.reason).toContain('price unknown: no dollar limit')
})

it('marks a model without a price as unusable under a dollar budget, and says how to fix it', () => {
  const models = listModels(modelCatalog, [budget])
  expect(models.find(({ id }) => id === unpriced)).toMatchObject({
    available: false,
    reason: expect.stringContaining(`models."${unpriced}".price`),
  })
  expect(listModels(modelCatalog, [{ ...budget, unit: 'units' }]).every(({ available }) => available)).toBe(true)
})

it('has no automatic selection without the models it chooses between', () => {
  const low = findModel('low')
  const catalog = modelCatalog.map((model) => (model === low ? { ...model, price: null } : model))
  expect(listModels(catalog, [budget])[0]).toMatchObject({ available: false, reason: 'no low model is available' })
})
