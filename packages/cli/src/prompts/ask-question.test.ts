import { describe, expect, it } from 'vitest'
import { type AskedQuestion, askQuestion } from './ask-question.ts'

const item = (question: string, multiSelect = false) => ({
  question,
  header: 'Colour',
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue\u001B[31m', description: '' },
  ],
  multiSelect,
})

const asked = (change: Partial<AskedQuestion>): AskedQuestion => ({
  questionId: 'qst_terminal' as AskedQuestion['questionId'], // a literal that matches the id's shape
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

/** A person who types these lines, one at each prompt, and then leaves. */
function typing(...lines: readonly string[]) {
  const left = [...lines]
  const said: string[] = []
  return { said, say: (line: string) => void said.push(line), read: async () => left.shift() ?? null }
}

describe('a question of the agent', () => {
  it('takes a number for an option and words for an answer of its own', async () => {
    const both = asked({ items: [item('Which?'), item('And then?')] })
    expect(await askQuestion(both, typing('1', 'green'))).toEqual({
      answers: { 'Which?': 'Red', 'And then?': 'green' },
    })
  })

  it('takes several numbers where several may be chosen', async () => {
    const many = asked({ items: [item('Which?', true)] })
    const answered = await askQuestion(many, typing('1, 2'))
    expect(answered).toEqual({ answers: { 'Which?': ['Red', 'Blue\u001B[31m'] } })
  })

  it('takes no answer from a comma too many', async () => {
    const many = asked({ items: [item('Which?', true)] })
    expect(await askQuestion(many, typing(' , ', '1,2,'))).toEqual({
      answers: { 'Which?': ['Red', 'Blue\u001B[31m'] },
    })
  })

  it('keeps the answer to a question called __proto__', async () => {
    const answered = await askQuestion(asked({ items: [item('__proto__')] }), typing('1'))
    expect(Object.entries(answered?.answers ?? {})).toEqual([['__proto__', 'Red']])
  })

  it('asks again for an empty line, and leaves the question open when the person leaves', async () => {
    expect(await askQuestion(asked({ items: [item('Which?')] }), typing('', ''))).toBeNull()
  })

  it('shows nothing a terminal would obey', async () => {
    const person = typing('1')
    await askQuestion(asked({ items: [item('Which?\u001B]0;x\u0007')] }), person)
    expect(person.said.join('')).not.toContain('\u001B')
  })
})

describe('a question of an MCP server', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', description: 'yours' }, age: { type: 'integer' }, ok: { type: 'boolean' } },
  }

  it('fills in the form with values of the right type, and leaves out what is empty', async () => {
    const form = asked({ source: 'mcp', server: 'crm', message: 'Who?', schema })
    expect(await askQuestion(form, typing('', 'Ada', '36', ''))).toEqual({ answers: { name: 'Ada', age: 36 } })
    expect(await askQuestion(form, typing('', 'Ada', '36', 'yes'))).toEqual({
      answers: { name: 'Ada', age: 36, ok: true },
    })
  })

  it('says what a field may be, and asks for that field alone until it fits', async () => {
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
    expect(person.said.slice(1)).toEqual([
      ...['  size is required', '  size is one of: S, M', '  age is a number', '  age is a whole number'],
    ])
  })

  it('can be declined', async () => {
    expect(await askQuestion(asked({ source: 'mcp', schema }), typing('n'))).toEqual({ answers: null })
    expect(await askQuestion(asked({ source: 'mcp' }), typing('No'))).toEqual({ answers: null })
  })

  it('is agreed to with y alone: an empty line and a stray word are asked again', async () => {
    const consent = asked({ source: 'mcp', server: 'crm', message: 'Delete it all?' })
    expect(await askQuestion(consent, typing('', 'wait', 'nothing', 'yonder'))).toBeNull()
    expect(await askQuestion(consent, typing('', 'wait', 'n'))).toEqual({ answers: null })
    expect(await askQuestion(consent, typing('', 'y'))).toEqual({ answers: {} })
  })

  it('does not take a word typed too early for a wish to fill in the form', async () => {
    const form = asked({ source: 'mcp', schema })
    expect(await askQuestion(form, typing('Ada', '', 'Ada', '', ''))).toEqual({ answers: { name: 'Ada' } })
  })

  it('keeps a field called __proto__', async () => {
    const hostile = JSON.parse('{"properties": {"__proto__": {"type": "integer"}}}')
    const answered = await askQuestion(asked({ source: 'mcp', schema: hostile }), typing('', '7'))
    expect(Object.entries(answered?.answers ?? {})).toEqual([['__proto__', 7]])
  })
})
