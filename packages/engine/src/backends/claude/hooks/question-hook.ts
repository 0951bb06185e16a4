// AskUserQuestion never answers itself: the person's answers go back as the tool's own input.
import type { PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import type { JsonObject } from '@quarterdeck/protocol'
import type { QuestionAsker, ToolCall } from '../../backend.ts'
import { askQuestions } from '../../question-tool.ts'

export async function answerQuestions(
  asker: QuestionAsker,
  call: ToolCall,
  signal: AbortSignal,
): Promise<PermissionResult> {
  const reply = await askQuestions(asker, call, signal)
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
