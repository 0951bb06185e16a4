// Runs the hooks after the gate. They may refuse a call, require approval, or change its input, which the gate then
// checks again. They cannot lift a denial of the gate, so they are not run for a denied call.
import type { JsonObject } from '@quarterdeck/protocol'
import type { ToolCall } from '../../ports/tool-call.ts'
import type { SessionOptions, ToolVerdict } from '../backend.ts'
import { type CompleteHookAnswer, objectionOf, readHookAnswer } from './hook-output.ts'

type Verdict = ToolVerdict | { readonly type: 'ask' }

export interface JudgedCall {
  readonly call: ToolCall
  readonly verdict: Verdict
  /** The hook input in the form of the SDK. */
  readonly input: JsonObject
}

interface ForwardedFields extends JsonObject {
  readonly hookSpecificOutput?: { readonly additionalContext: string }
}

export interface Narrowed {
  readonly verdict: Verdict
  /** The input that the call would run with. */
  readonly input: JsonObject
  /** Why a person must decide although the rules do not ask. */
  readonly because: string | undefined
  /** The other fields of the hooks' answer. */
  readonly output: ForwardedFields
  /** Why the whole turn ends here, if a hook requests it. */
  readonly stops: string | null
}

export async function narrowByHooks(
  { gate, hooks }: Pick<SessionOptions, 'gate' | 'hooks'>,
  { call, verdict, input }: JudgedCall,
  signal: AbortSignal,
): Promise<Narrowed> {
  const asIs = { verdict, input: call.toolInput, because: undefined, output: {}, stops: null }
  if (verdict.type === 'deny' || !hooks.hasListener('PreToolUse')) return asIs
  const hookAnswer = readHookAnswer('PreToolUse', await hooks.run('PreToolUse', input, signal))
  const output = forwardedFields(hookAnswer)
  const { permissionDecision, permissionDecisionReason, updatedInput } = hookAnswer.hookSpecificOutput
  if (hookAnswer.continue === false) {
    const message = hookAnswer.stopReason || 'a hook ended the turn'
    return { ...asIs, verdict: { type: 'deny', message }, output, stops: message }
  }
  const isDenied = permissionDecision === 'deny'
  const refused = isDenied
    ? ({ decision: 'block', reason: permissionDecisionReason || hookAnswer.reason } as const)
    : hookAnswer
  const objection = objectionOf(refused, `${call.toolName} was refused by a hook.`)
  if (objection !== null) return { ...asIs, verdict: { type: 'deny', message: objection }, output }
  const changed = updatedInput ?? call.toolInput
  const judged = updatedInput === undefined ? verdict : await gate.check({ ...call, toolInput: changed })
  const isForced = permissionDecision === 'ask' && judged.type === 'allow'
  return {
    verdict: isForced ? { type: 'ask' } : judged,
    input: changed,
    because: isForced ? permissionDecisionReason || 'a hook requires approval' : undefined,
    output,
    stops: null,
  }
}

/**
 * Forwards only fields known to be valid: for one invalid field the Claude CLI would ignore the whole verdict
 * (measured).
 */
function forwardedFields({
  continue: continues,
  stopReason,
  systemMessage,
  suppressOutput,
  hookSpecificOutput,
}: CompleteHookAnswer): ForwardedFields {
  const { additionalContext } = hookSpecificOutput
  const fields = { continue: continues, stopReason, systemMessage, suppressOutput }
  const hookAnswer = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return additionalContext === undefined ? hookAnswer : { ...hookAnswer, hookSpecificOutput: { additionalContext } }
}
