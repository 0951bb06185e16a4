import { expect, it } from 'vitest'
import { budgetLabel } from './budget-label.ts'

it('says whose budget it is and for how long', () => {
  expect(budgetLabel({ scope: 'agent', subject: 'coder', period: 'day' })).toBe('agent coder per day')
  expect(budgetLabel({ scope: 'user', subject: '*', period: 'month' })).toBe('each user per month')
  expect(budgetLabel({ scope: 'all', subject: null, period: 'total' })).toBe('everybody')
})
