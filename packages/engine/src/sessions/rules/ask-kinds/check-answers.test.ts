import { expect, it } from 'vitest'
import { checkAnswers } from './check-answers.ts'
import { checkElicited } from './check-elicited.ts'

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

const form = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    age: { type: 'integer', minimum: 0 },
    share: { type: 'number', maximum: 1 },
    sure: { type: 'boolean' },
    colour: { type: 'string', enum: ['red', 'blue'] },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, maxItems: 1 },
  },
  required: ['name'],
}

it.each([
  [{ name: 'Ana', age: 3, share: 0.5, sure: true, colour: 'red', size: 's', tags: ['x'] }, null],
  [{}, 'name: is required'],
  [{ name: 'A' }, 'at least 2'],
  [{ name: 'Anastasia' }, 'at most 5'],
  [{ name: 'Ana', age: 1.5 }, 'whole number'],
  [{ name: 'Ana', age: -1 }, 'at least 0'],
  [{ name: 'Ana', share: 2 }, 'at most 1'],
  [{ name: 'Ana', sure: 'yes' }, 'true or false'],
  [{ name: 'Ana', colour: 'green' }, 'one of red, blue'],
  [{ name: 'Ana', size: 'xl' }, 'one of s'],
  [{ name: 'Ana', tags: ['z'] }, 'one of x, y'],
  [{ name: 'Ana', tags: ['x', 'y'] }, 'at most 1'],
  [{ name: 'Ana', other: 1 }, 'other: was not asked'],
  [{ name: 'Ana', constructor: 1 }, 'was not asked'],
])('checks a form filled with %j', (answers, problem) => {
  const found = checkElicited(form, answers)
  if (problem === null) expect(found).toBeNull()
  else expect(found).toContain(problem)
})

it('accepts a link without a form', () => {
  expect(checkAnswers({ source: 'mcp', items: [], schema: null }, {})).toBeNull()
})
