// A structured answer arrives as an object with the result. It is emitted as text of the agent and validated again,
// because the CLI's own check is lost if its process dies.
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

/** Why a completed turn has failed; `null` if its answer is valid. */
export function brokenAnswer(state: Translation, result: ResultMessage, outcome: TurnOutcome): string | null {
  const { outputCheck, answering } = state
  if (outputCheck === null) return null
  if (result.subtype === 'error_max_structured_output_retries') return brokenFormat(refusalOf(answering.refusal))
  // A command of the CLI itself makes no model request and has no answer.
  if (outcome !== 'completed' || result.num_turns === 0) return null
  if (result.structured_output === undefined) return brokenFormat('the agent ended without giving one')
  const how = outputCheck(result.structured_output)
  return how === null ? null : brokenFormat(how)
}

const refusalOf = (refusal: string | null): string =>
  refusal?.replace(/^Output does not match required schema: /, '') ?? 'the agent gave none'
