// The tool by which an agent asks a person: one name and one shape on every backend.
import { QuestionItem } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { QuestionAsker, QuestionReply, ToolCall } from './backend.ts'

/** As the Claude CLI calls it. */
export const questionTool = 'AskUserQuestion'

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

/** Puts the questions of a call of it to a person. Those nobody could read are declined with a word to the model. */
export async function askQuestions(
  asker: QuestionAsker,
  { toolInput, toolUseId, agent }: ToolCall,
  signal: AbortSignal,
): Promise<QuestionReply> {
  const parsed = Questions.safeParse(toolInput)
  if (!parsed.success) {
    return { type: 'declined', message: 'The questions cannot be read: ask with questions and options.' }
  }
  const nothingElse = { server: null, message: '', schema: null, url: null }
  const items = parsed.data.questions
  return asker.ask({ source: 'agent', toolUseId, agent, items, ...nothingElse }, signal)
}
