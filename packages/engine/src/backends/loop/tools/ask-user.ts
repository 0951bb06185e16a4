import type { QuestionAsker, ToolCall, ToolOutput } from '../../backend.ts'
import { askQuestions } from '../../question-tool.ts'

/** The answers of a person as the result of the call that asked for them. */
export async function askUser(asker: QuestionAsker, call: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
  const reply = await askQuestions(asker, call, signal)
  if (reply.type === 'declined') return { output: reply.message, isError: true }
  const lines = Object.entries(reply.answers).map(([question, answer]) => `"${question}" = "${inWords(answer)}"`)
  const note = reply.note === null ? [] : [`The person adds: ${reply.note}`]
  return { output: ['The person has answered:', ...lines, ...note].join('\n'), isError: false }
}

function inWords(answer: unknown): string {
  if (Array.isArray(answer)) return answer.join(', ')
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}
