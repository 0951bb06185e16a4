import { describe, expect, it } from 'vitest'
import type { AskedQuestion, QuestionAsker, ToolCall } from './backend.ts'
import { askQuestions, questionTool } from './question-tool.ts'

const never = new AbortController().signal
const callOf = (toolInput: ToolCall['toolInput']): ToolCall => ({
  toolName: questionTool,
  toolInput,
  toolUseId: 'toolu_1',
  agent: ['toolu_0'],
})

function people() {
  const asked: AskedQuestion[] = []
  const asker: QuestionAsker = {
    async ask(question) {
      asked.push(question)
      return { type: 'answered', answers: { 'Which?': 'this' }, note: null }
    },
  }
  return { asked, asker }
}

describe('the questions of an agent', () => {
  it('are put to a person with what the model left out', async () => {
    const { asked, asker } = people()
    const reply = await askQuestions(
      asker,
      callOf({ questions: [{ question: 'Which?', options: [{ label: 'this' }] }] }),
      never,
    )
    expect(reply).toEqual({ type: 'answered', answers: { 'Which?': 'this' }, note: null })
    const item = { question: 'Which?', header: '', options: [{ label: 'this', description: '' }], multiSelect: false }
    expect(asked).toMatchObject([{ source: 'agent', toolUseId: 'toolu_1', agent: ['toolu_0'], items: [item] }])
  })

  it('are declined when they cannot be read, and nobody is asked', async () => {
    const { asked, asker } = people()
    for (const input of [{}, { questions: [] }, { questions: 'which?' }]) {
      expect(await askQuestions(asker, callOf(input), never)).toMatchObject({ type: 'declined' })
    }
    expect(asked).toEqual([])
  })
})
