// An answer that has to keep a schema comes as an object with the result. It is told as what the agent said, and checked
// once more: the CLI's own check can be lost with the process it ran in.
import { draft, type TurnOutcome } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import { brokenFormat, outputText } from '../../driver/structured-output.ts'
import type { ResultMessage } from './sdk-message.ts'
import { emit, type Translated, type Translation } from './translation.ts'

export function emitStructuredAnswer(
  state: Translation,
  { structured_output: value, uuid }: ResultMessage,
): Translated {
  if (state.outputCheck === null || value === undefined) return { state, events: [] }
  const text = outputText(value)
  const messageId = state.answering.messageId ?? `answer_${String(uuid)}`
  const token: BackendEvent = { type: 'AgentStreamToken', agent: null, data: { text, messageId, kind: 'text' } }
  return emit(state, [token, draft('AgentThought', { text, messageId })])
}

/** Why the turn has failed although the agent was heard out; `null` when its answer is as it should be. */
export function brokenAnswer(state: Translation, result: ResultMessage, outcome: TurnOutcome): string | null {
  const { outputCheck, answering } = state
  if (outputCheck === null) return null
  if (result.subtype === 'error_max_structured_output_retries') return brokenFormat(refusalOf(answering.refusal))
  // A command of the CLI itself asks no model and has no answer.
  if (outcome !== 'completed' || result.num_turns === 0) return null
  if (result.structured_output === undefined) return brokenFormat('the agent ended without giving one')
  const how = outputCheck(result.structured_output)
  return how === null ? null : brokenFormat(how)
}

const refusalOf = (refusal: string | null): string =>
  refusal?.replace(/^Output does not match required schema: /, '') ?? 'the agent gave none'
