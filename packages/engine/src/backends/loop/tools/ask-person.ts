import { QuestionItem } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { PersonAsker, ToolCall, ToolOutput } from '../../backend.ts'

/** Models leave out what they find unimportant. */
const Questions = z.looseObject({
  questions: z
    .array(
      QuestionItem.extend({
        header: z.string().default(''),
        options: z.array(z.object({ label: z.string(), description: z.string().default('') })).default([]),
        multiSelect: z.boolean().default(false),
      }),
    )
    .min(1),
})

/** The answers of a person as the result of the call that asked for them. */
export async function askPerson(people: PersonAsker, call: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
  const parsed = Questions.safeParse(call.toolInput)
  if (!parsed.success) {
    return { output: 'The questions cannot be read: ask with questions and options.', isError: true }
  }
  const { toolUseId, agent } = call
  const items = parsed.data.questions
  const nobody = { server: null, message: '', schema: null, url: null }
  const reply = await people.ask({ source: 'agent', toolUseId, agent, items, ...nobody }, signal)
  if (reply.type === 'declined') return { output: reply.message, isError: true }
  const lines = Object.entries(reply.answers).map(([question, answer]) => `"${question}" = "${inWords(answer)}"`)
  const note = reply.note === null ? [] : [`The person adds: ${reply.note}`]
  return { output: ['The person has answered:', ...lines, ...note].join('\n'), isError: false }
}

function inWords(answer: unknown): string {
  if (Array.isArray(answer)) return answer.join(', ')
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}
