// The tool with which an agent asks a person: the same name and input on every backend.
import { QuestionItem } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { QuestionAsker, QuestionReply } from './question-asker.ts'
import type { ToolCall } from './tool-call.ts'

/** The name in the Claude CLI. */
export const questionTool = 'AskUserQuestion'

/** Models often leave fields out. */
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

/** Asks a person the questions of a call. Unreadable questions are declined with a message for the model. */
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
