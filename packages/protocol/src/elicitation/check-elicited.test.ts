import { expect, it } from 'vitest'
import { checkElicited } from './check-elicited.ts'

const form = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    age: { type: 'integer', minimum: 0 },
    share: { type: 'number', maximum: 1 },
    sure: { type: 'boolean' },
    colour: { type: 'string', enum: ['red', 'blue'] },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 2 },
    e: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    home: { type: 'string', format: 'uri' },
    odd: { type: 'string', format: 'constructor' },
  },
  required: ['name'],
}

it.each([
  [{ name: 'Ana', age: 3, share: 0.5, sure: true, colour: 'red', size: 's', tags: ['x'] }, null],
  [{}, 'name: is required'],
  [{ name: 'A' }, 'answers.name: must have at least 2 characters'],
  [{ name: 'Anastasia' }, 'answers.name: must have at most 5 characters'],
  [{ name: 'Ana', age: 1.5 }, 'whole number'],
  [{ name: 'Ana', age: -1 }, 'answers.age: must be at least 0'],
  [{ name: 'Ana', share: 2 }, 'answers.share: must be at most 1'],
  [{ name: 'Ana', sure: 'yes' }, 'true or false'],
  [{ name: 'Ana', colour: 'green' }, 'one of red, blue'],
  [{ name: 'Ana', size: 'xl' }, 'one of s'],
  [{ name: 'Ana', tags: ['z'] }, 'one of x, y'],
  [{ name: 'Ana', tags: ['x', 'y', 'x'] }, 'answers.tags: must have at most 2 entries'],
  [{ name: 'Ana', tags: [] }, 'answers.tags: must have at least 1 entry'],
  [{ name: 'Ana', e: 'a@b.de', day: '2026-05-04', at: '2026-05-04T10:00:00+02:00', home: 'https://a.de' }, null],
  [{ name: 'Ana', odd: 'x' }, null],
  [{ name: 'Ana', e: 'not an email' }, 'answers.e: must be an email address'],
  [{ name: 'Ana', e: '' }, 'must be an email address'],
  [{ name: 'Ana', day: '2026-02-30' }, 'answers.day: must be a date'],
  [{ name: 'Ana', at: '2026-05-04T10:00:00' }, 'answers.at: must be a date and a time with a time zone'],
  [{ name: 'Ana', at: '2026-05-04T10:00Z' }, 'answers.at: must be a date and a time with a time zone'],
  [{ name: 'Ana', at: 'soon' }, 'answers.at: must be a date and a time'],
  [{ name: 'Ana', home: 'example' }, 'answers.home: must be an address'],
  [{ name: 'Ana', other: 1 }, 'other: was not asked'],
  [{ name: 'Ana', constructor: 1 }, 'was not asked'],
])('checks a form filled with %j', (answers, problem) => {
  const found = checkElicited(form, answers)
  if (problem === null) expect(found).toBeNull()
  else expect(found).toContain(problem)
})

it('ignores keywords of an unexpected type and still checks the other fields', () => {
  const properties = {
    when: { type: 'string', minLength: '2' },
    either: { anyOf: [{ type: 'null' }] },
    age: form.properties.age,
  }
  expect(checkElicited({ properties }, { when: '', either: [1], age: 3 })).toBeNull()
  expect(checkElicited({ properties }, { age: 1.5 })).toContain('whole number')
})
