import { expect, it } from 'vitest'
import type { JsonObject } from '../values/json.ts'
import { checkElicited } from './check-elicited.ts'
import { elicitedAnswers } from './elicited-answers.ts'
import { elicitedFields, type FieldValue, initialValues } from './elicited-fields.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', description: 'As on the ticket' },
    age: { type: 'integer' },
    share: { type: 'number', default: 0.5 },
    urgent: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['r', 'b'], enumNames: ['Red', 'Blue'], default: 'b' },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'm' }] },
    toppings: { type: 'array', items: { type: 'string', enum: ['cheese', 'ham'] } },
    odd: { type: 'object', properties: {} },
  },
  required: ['name', 'size'],
}

const filled = (values: Readonly<Record<string, FieldValue>>) => {
  const fields = elicitedFields(schema)
  return elicitedAnswers(fields, new Map([...initialValues(fields), ...Object.entries(values)]))
}

it('reads every kind of field with its title, options and initial value', () => {
  expect(elicitedFields(schema).map(({ title, kind, initial }) => [title, kind, initial])).toEqual([
    ['Your name', 'text', ''],
    ['age', 'integer', ''],
    ['share', 'number', '0.5'],
    ['urgent', 'boolean', true],
    ['colour', 'choice', [1]],
    ['size', 'choice', []],
    ['toppings', 'choices', []],
    ['odd', 'json', ''],
  ])
  expect(elicitedFields(schema)[4]?.options).toEqual([
    { value: 'r', label: 'Red' },
    { value: 'b', label: 'Blue' },
  ])
})

it('answers by field name with values of the right type, and omits empty fields', () => {
  expect(filled({ name: 'Ana', age: '41', size: [1], toppings: [0, 1], odd: '{"a":1}' })).toEqual({
    answers: {
      name: 'Ana',
      age: 41,
      share: 0.5,
      urgent: true,
      colour: 'b',
      size: 'm',
      toppings: ['cheese', 'ham'],
      odd: { a: 1 },
    },
  })
  expect(filled({ name: 'Ana', size: [0], share: '', colour: [] })).toEqual({
    answers: { name: 'Ana', urgent: true, size: 's' },
  })
})

it.each([
  [{ size: [0] }, 'name', 'Your name: is required'],
  [{ name: 'Ana' }, 'size', 'size: is required'],
  [{ name: 'Ana', size: [0], age: '4.5' }, 'age', 'age: must be a whole number'],
  [{ name: 'Ana', size: [0], share: 'much' }, 'share', 'share: must be a number'],
  [{ name: 'Ana', size: [0], odd: '{' }, 'odd', 'odd: must be JSON'],
] as const)('names the field and its problem: %j', (values, field, problem) => {
  expect(filled(values)).toEqual({ field, problem })
})

it('reads a hostile schema as an empty form', () => {
  expect(elicitedFields({})).toEqual([])
  expect(elicitedFields({ properties: 'all of them', required: 7 })).toEqual([])
  expect(elicitedFields({ properties: { a: 'text', b: [1] } }).map(({ kind }) => kind)).toEqual(['json', 'json'])
  const named = elicitedFields(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'))
  expect(named.map(({ name, kind }) => [name, kind])).toEqual([['__proto__', 'text']])
  expect(elicitedAnswers(named, initialValues(named))).toEqual({ answers: {} })
})

it('shows options that are not texts as JSON, even hostile ones', () => {
  const hostile = { toString: 1, valueOf: 1 }
  const properties = { pick: { enum: [hostile, 7, null], maxLength: hostile } }
  const labels = ['{"toString":1,"valueOf":1}', '7', 'null']
  expect(elicitedFields({ properties })[0]?.options.map(({ label }) => label)).toEqual(labels)
  expect(checkElicited({ properties }, { pick: 'x' })).toBe(`answers.pick: must be one of ${labels.join(', ')}`)
  expect(elicitedFields({ properties: { note: { type: 'string', maxLength: hostile } } })[0]?.kind).toBe('text')
})

const only = (property: JsonObject) => elicitedFields({ type: 'object', properties: { when: property } })

it.each(['2026-05-04T10:00:30Z', '2026-05-04T10:00:30+05:30'])(
  'shows the default time %s in local time and sends it in UTC',
  (preset) => {
    const fields = only({ type: 'string', format: 'date-time', default: preset })
    expect(fields[0]?.initial).toMatch(/^2026-05-0[345]T\d{2}:\d{2}:30$/)
    expect(elicitedAnswers(fields, initialValues(fields))).toEqual({
      answers: { when: new Date(preset).toISOString() },
    })
  },
)

it('sends a time with its time zone', () => {
  const fields = only({ type: 'string', format: 'date-time' })
  expect(fields[0]?.inputType).toBe('datetime-local')
  const sent = elicitedAnswers(fields, new Map([['when', '2026-05-04T10:00']]))
  expect(sent).toEqual({ answers: { when: new Date(2026, 4, 4, 10, 0).toISOString() } })
})

// A terminal and some browsers have only a text field.
it.each(['soon', 'room 12', '5', '2026-05-04', '2026-05-04T10:00 room 12', '2026-13-04T10:00', '2026-02-30T10:00'])(
  'refuses %j as a date and a time',
  (typed) => {
    const fields = only({ type: 'string', format: 'date-time' })
    const problem = 'when: must be a date and a time'
    expect(elicitedAnswers(fields, new Map([['when', typed]]))).toEqual({ field: 'when', problem })
  },
)

it.each(['2026-05-04T10:00:30Z', '2026-05-04T10:00:30.5+05:30'])('sends the typed time %s unchanged', (typed) => {
  const fields = only({ type: 'string', format: 'date-time' })
  expect(elicitedAnswers(fields, new Map([['when', typed]]))).toEqual({ answers: { when: typed } })
})

it.each([
  ['email', 'ana at work', 'must be an email address'],
  ['date', '4 May', 'must be a date like 2026-05-04'],
  ['date', '2026-02-30', 'must be a date like 2026-05-04'],
  ['uri', 'example', 'must be an address like https://example.com'],
])('refuses a field of the format %s that holds %j', (format, typed, problem) => {
  const fields = only({ type: 'string', format })
  expect(elicitedAnswers(fields, new Map([['when', typed]]))).toEqual({ field: 'when', problem: `when: ${problem}` })
})

it.each([
  ['email', 'ana@example.com'],
  ['date', '2026-05-04'],
  ['uri', 'https://example.com/a?b'],
  ['constructor', 'anything'],
])('sends a field of the format %s without the spaces around it', (format, typed) => {
  const fields = only({ type: 'string', format })
  const sent = { answers: { when: typed } }
  expect(elicitedAnswers(fields, new Map([['when', format === 'constructor' ? typed : ` ${typed} `]]))).toEqual(sent)
})

it('sends times that a form accepts in a form that passes the check', () => {
  const property = { type: 'string', format: 'date-time' }
  for (const typed of ['2026-05-04t10:00:30z', '2026-05-04 10:00', '2026-05-04T24:00:00Z', '2026-05-04T10:00Z']) {
    const sent = elicitedAnswers(only(property), new Map([['when', typed]]))
    if (!('answers' in sent)) throw new Error(sent.problem)
    expect(checkElicited({ properties: { when: property } }, sent.answers)).toBeNull()
  }
})

it.each(['date', 'date-time'])('shows a default that is not a %s as text', (format) => {
  const fields = only({ type: 'string', format, default: 'tomorrow' })
  expect(fields).toMatchObject([{ inputType: 'text', initial: 'tomorrow' }])
  expect(elicitedAnswers(fields, initialValues(fields))).toEqual({ answers: { when: 'tomorrow' } })
})
