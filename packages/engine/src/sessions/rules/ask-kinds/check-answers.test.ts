import { expect, it } from 'vitest'
import { checkAnswers } from './check-answers.ts'

const item = { question: 'Which?', header: 'W', options: [{ label: 'a', description: '' }], multiSelect: false }
const agents = {
  source: 'agent' as const,
  items: [item, { ...item, question: 'Many?', multiSelect: true }],
  schema: null,
}

it.each([
  [{ 'Which?': 'a', 'Many?': ['a', 'my own'] }, null],
  [{ 'Which?': 'something else', 'Many?': 'a' }, null],
  [{ 'Which?': 'a' }, 'is not answered'],
  [{ 'Which?': ['a'], 'Many?': 'a' }, 'takes one answer'],
  [{ 'Which?': 'a', 'Many?': [] }, 'must be a list of non-empty texts'],
  [{ 'Which?': ' ', 'Many?': 'a' }, 'must be a non-empty text'],
  [{ 'Which?': 7, 'Many?': 'a' }, 'must be a non-empty text'],
  [{ 'Which?': 'a', 'Many?': 'a', 'Else?': 'a' }, 'was not asked'],
])('checks the answers of %j', (answers, problem) => {
  const found = checkAnswers(agents, answers)
  if (problem === null) expect(found).toBeNull()
  else expect(found).toContain(problem)
})

it('accepts a link without a form', () => {
  expect(checkAnswers({ source: 'mcp', items: [], schema: null }, {})).toBeNull()
})
