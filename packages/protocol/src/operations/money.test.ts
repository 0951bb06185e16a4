import { expect, it } from 'vitest'
import { budgetLabel } from './money.ts'

it('names the subject and the period of a budget', () => {
  expect(budgetLabel({ scope: 'agent', subject: 'coder', period: 'day' })).toBe('agent coder per day')
  expect(budgetLabel({ scope: 'user', subject: '*', period: 'month' })).toBe('each user per month')
  expect(budgetLabel({ scope: 'all', subject: null, period: 'total' })).toBe('everybody')
})
