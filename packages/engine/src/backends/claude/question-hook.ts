// AskUserQuestion never answers itself: the person's answers go back as the tool's own input.
import type { PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { type JsonObject, QuestionItem } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { PersonAsker, ToolCall } from '../backend.ts'

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

export async function askQuestions(
  people: PersonAsker,
  call: ToolCall,
  signal: AbortSignal,
): Promise<PermissionResult> {
  const parsed = Questions.safeParse(call.toolInput)
  if (!parsed.success)
    return { behavior: 'deny', message: 'The questions cannot be read: ask with questions and options.' }
  const items = parsed.data.questions
  const { toolUseId, agent } = call
  const asked = {
    source: 'agent',
    server: null,
    toolUseId,
    agent,
    message: '',
    items,
    schema: null,
    url: null,
  } as const
  const reply = await people.ask(asked, signal)
  if (reply.type === 'declined') return { behavior: 'deny', message: reply.message }
  return { behavior: 'allow', updatedInput: answered(call.toolInput, reply.answers, reply.note) }
}

/** Several choices are one text to the CLI; a list would reach the model without its spaces (measured). */
function answered(input: JsonObject, answers: JsonObject, note: string | null): JsonObject {
  const texts = Object.entries(answers).map(([question, answer]) => [
    question,
    Array.isArray(answer) ? answer.join(', ') : answer,
  ])
  const [first] = Object.keys(answers)
  const annotations = note === null || first === undefined ? {} : { annotations: { [first]: { notes: note } } }
  return { ...input, answers: Object.fromEntries(texts), ...annotations }
}
