import { expect, it } from 'vitest'
import { budgetWords } from './budget-words.ts'

it('says whose budget it is and for how long', () => {
  expect(budgetWords({ scope: 'agent', subject: 'coder', period: 'day' })).toBe('agent coder per day')
  expect(budgetWords({ scope: 'user', subject: '*', period: 'month' })).toBe('each user per month')
  expect(budgetWords({ scope: 'all', subject: null, period: 'total' })).toBe('everybody')
})
