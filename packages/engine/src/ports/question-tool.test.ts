import { describe, expect, it } from 'vitest'
import type { AskedQuestion, QuestionAsker } from './question-asker.ts'
import { askQuestions, questionTool } from './question-tool.ts'
import type { ToolCall } from './tool-call.ts'

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

describe('askQuestions', () => {
  it('asks the person and fills in the fields that the model left out', async () => {
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

  it('declines unreadable questions without asking anyone', async () => {
    const { asked, asker } = people()
    for (const input of [{}, { questions: [] }, { questions: 'which?' }]) {
      expect(await askQuestions(asker, callOf(input), never)).toMatchObject({ type: 'declined' })
    }
    expect(asked).toEqual([])
  })
})
