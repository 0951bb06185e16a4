import { describe, expect, it } from 'vitest'
import { askQuestion, type QuestionRequest } from './ask-question.ts'

const item = (question: string, multiSelect = false) => ({
  question,
  header: 'Colour',
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue\u001B[31m', description: '' },
  ],
  multiSelect,
})

const asked = (change: Partial<QuestionRequest>): QuestionRequest => ({
  questionId: 'qst_terminal' as QuestionRequest['questionId'], // a literal that matches the shape of the id
  source: 'agent',
  server: null,
  toolUseId: null,
  message: '',
  items: [],
  schema: null,
  url: null,
  expiresAt: null,
  ...change,
})

/** A user who types these lines, one at each prompt, and then leaves. */
function typing(...lines: readonly string[]) {
  const left = [...lines]
  const printed: string[] = []
  return { printed, print: (line: string) => void printed.push(line), read: async () => left.shift() ?? null }
}

describe('a question of the agent', () => {
  it('takes a number as an option and words as an own answer', async () => {
    const both = asked({ items: [item('Which?'), item('And then?')] })
    expect(await askQuestion(both, typing('1', 'green'))).toEqual({
      answers: { 'Which?': 'Red', 'And then?': 'green' },
    })
  })

  it('takes several numbers where several options may be chosen', async () => {
    const many = asked({ items: [item('Which?', true)] })
    const answered = await askQuestion(many, typing('1, 2'))
    expect(answered).toEqual({ answers: { 'Which?': ['Red', 'Blue\u001B[31m'] } })
  })

  it('ignores an extra comma', async () => {
    const many = asked({ items: [item('Which?', true)] })
    expect(await askQuestion(many, typing(' , ', '1,2,'))).toEqual({ answers: { 'Which?': ['Red', 'Blue\u001B[31m'] } })
  })

  it('takes a label that contains a comma, and each option once', async () => {
    const labels = ['Red', 'Red, dark', 'Blue']
    const options = labels.map((label) => ({ label, description: '' }))
    const many = asked({ items: [{ ...item('Which?', true), options }] })
    const answersTo = async (line: string) => (await askQuestion(many, typing(line)))?.answers
    expect(await answersTo('Red, dark')).toEqual({ 'Which?': ['Red, dark'] })
    expect(await answersTo('Blue, Red, dark, 3, Red, Blue, green')).toEqual({
      'Which?': ['Blue', 'Red, dark', 'Red', 'green'],
    })
  })

  it('keeps the answer to a question called __proto__', async () => {
    const answered = await askQuestion(asked({ items: [item('__proto__')] }), typing('1'))
    expect(Object.entries(answered?.answers ?? {})).toEqual([['__proto__', 'Red']])
  })

  it('asks again after an empty line, and stays open when the user leaves', async () => {
    expect(await askQuestion(asked({ items: [item('Which?')] }), typing('', ''))).toBeNull()
  })

  it('escapes control characters', async () => {
    const person = typing('1')
    await askQuestion(asked({ items: [item('Which?\u001B]0;x\u0007')] }), person)
    expect(person.printed.join('')).not.toContain('\u001B')
  })
})

describe('a question of an MCP server', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', description: 'yours' }, age: { type: 'integer' }, ok: { type: 'boolean' } },
  }

  it('fills in the form with values of the right type, and omits empty fields', async () => {
    const form = asked({ source: 'mcp', server: 'crm', message: 'Who?', schema })
    expect(await askQuestion(form, typing('', 'Ada', '36', ''))).toEqual({ answers: { name: 'Ada', age: 36 } })
    expect(await askQuestion(form, typing('', 'Ada', '36', 'yes'))).toEqual({
      answers: { name: 'Ada', age: 36, ok: true },
    })
  })

  it('explains the allowed values of a field, and asks for that field until the value fits', async () => {
    const strict = {
      properties: {
        size: { type: 'string', enum: ['S', 'M'], description: 'yours' },
        age: { type: 'integer' },
        note: { type: 'string' },
      },
      required: ['size', 'age'],
    }
    const asks: string[] = []
    const person = typing('', '', 'XL', 'M', 'old', '1.5', '36', '')
    const read = async (text: string) => {
      asks.push(text)
      return person.read()
    }
    const form = asked({ source: 'mcp', server: 'crm', message: 'Who?', schema: strict })
    expect(await askQuestion(form, { ...person, read })).toEqual({ answers: { size: 'M', age: 36 } })
    const size = '  size (yours; one of: S, M; required): '
    const age = '  age (required): '
    expect(asks.slice(1)).toEqual([size, size, size, age, age, age, '  note: '])
    expect(person.printed.slice(1)).toEqual([
      ...[
        '  size is required',
        '  size must be one of: S, M',
        '  age must be a number',
        '  age must be a whole number',
      ],
    ])
  })

  it('shows each field on one line', async () => {
    const property = { title: 'Name\n  Password', description: 'yours\r\n  [y] allow', enum: ['a\nb', 'c'] }
    const asks: string[] = []
    const person = typing('', 'neither', 'a b')
    const read = async (text: string) => {
      asks.push(text)
      return person.read()
    }
    const form = asked({ source: 'mcp', server: 'crm', schema: { properties: { name: property } } })
    expect(await askQuestion(form, { ...person, read })).toEqual({ answers: { name: 'a\nb' } })
    expect(asks[1]).toBe('  Name Password (yours [y] allow; one of: a b, c): ')
    expect(person.printed).toEqual(['  Name Password must be one of: a b, c'])
  })

  it('offers titled options, several options and JSON, and sends their values', async () => {
    const rich = {
      properties: {
        size: { title: 'Your size', anyOf: [{ const: 's', title: 'Small' }, { const: 'm' }] },
        colour: { type: 'string', enum: ['r', 'b'], enumNames: ['Red, dark', 'Blue'] },
        toppings: { type: 'array', items: { type: 'string', enum: ['cheese', 'ham'] } },
        odd: { type: 'object' },
      },
      required: ['size'],
    }
    const asks: string[] = []
    const person = typing('', 'Large', 'Small', 'Red, dark', 'cheese, tuna', 'cheese, ham', '{', '{"a":1}')
    const read = async (text: string) => {
      asks.push(text)
      return person.read()
    }
    const form = asked({ source: 'mcp', server: 'crm', schema: rich })
    expect(await askQuestion(form, { ...person, read })).toEqual({
      answers: { size: 's', colour: 'r', toppings: ['cheese', 'ham'], odd: { a: 1 } },
    })
    expect([...new Set(asks.slice(1))]).toEqual([
      '  Your size (one of: Small, m; required): ',
      '  colour (one of: Red, dark, Blue): ',
      '  toppings (several separated by commas: cheese, ham): ',
      '  odd (as JSON): ',
    ])
    expect(person.printed).toEqual([
      '  Your size must be one of: Small, m',
      '  toppings must be one of: cheese, ham',
      '  odd must be JSON',
    ])
  })

  it('takes several labels that contain a comma, and each option once', async () => {
    const items = { anyOf: [{ const: 'd', title: 'Red, dark' }, { const: 'r', title: 'Red' }, { const: 'ham' }] }
    const form = asked({ source: 'mcp', server: 'crm', schema: { properties: { tags: { type: 'array', items } } } })
    const answersTo = async (line: string) => (await askQuestion(form, typing('', line, '')))?.answers
    expect(await answersTo('Red, dark')).toEqual({ tags: ['d'] })
    expect(await answersTo('ham, Red, dark,Red, ham,')).toEqual({ tags: ['ham', 'd', 'r'] })
    expect(await answersTo(' , ')).toEqual({})
  })

  it('explains the format of a date and a time, and asks again after other text', async () => {
    const when = { properties: { when: { type: 'string', format: 'date-time' } } }
    const asks: string[] = []
    const person = typing('', 'room 12', '2026-05-04T10:00:00Z')
    const read = async (text: string) => {
      asks.push(text)
      return person.read()
    }
    const form = asked({ source: 'mcp', server: 'crm', schema: when })
    expect(await askQuestion(form, { ...person, read })).toEqual({ answers: { when: '2026-05-04T10:00:00Z' } })
    expect(asks.at(-1)).toBe('  when (as 2026-05-04T10:00): ')
    expect(person.printed).toEqual(['  when must be a date and a time'])
  })

  it('takes the JSON of an option that is not a text', async () => {
    const pick = { properties: { pick: { enum: [{ toString: 1, valueOf: 1 }, 7] } } }
    const form = asked({ source: 'mcp', server: 'crm', schema: pick })
    expect(await askQuestion(form, typing('', 'x', '7'))).toEqual({ answers: { pick: 7 } })
  })

  it('can be declined', async () => {
    expect(await askQuestion(asked({ source: 'mcp', schema }), typing('n'))).toEqual({ answers: null })
    expect(await askQuestion(asked({ source: 'mcp' }), typing('No'))).toEqual({ answers: null })
  })

  it('is accepted only with y: an empty line or another word asks again', async () => {
    const consent = asked({ source: 'mcp', server: 'crm', message: 'Delete it all?' })
    expect(await askQuestion(consent, typing('', 'wait', 'nothing', 'yonder'))).toBeNull()
    expect(await askQuestion(consent, typing('', 'wait', 'n'))).toEqual({ answers: null })
    expect(await askQuestion(consent, typing('', 'y'))).toEqual({ answers: {} })
  })

  it('ignores a word that was typed before the question', async () => {
    const form = asked({ source: 'mcp', schema })
    expect(await askQuestion(form, typing('Ada', '', 'Ada', '', ''))).toEqual({ answers: { name: 'Ada' } })
  })

  it('keeps a field called __proto__', async () => {
    const hostile = JSON.parse('{"properties": {"__proto__": {"type": "integer"}}}')
    const answered = await askQuestion(asked({ source: 'mcp', schema: hostile }), typing('', '7'))
    expect(Object.entries(answered?.answers ?? {})).toEqual([['__proto__', 7]])
  })
})
