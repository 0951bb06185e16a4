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

  it('can be declined', async () => {
    expect(await askQuestion(asked({ source: 'mcp', schema }), typing('n'))).toEqual({ answers: null })
  })
})
