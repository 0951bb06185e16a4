// After the gate the hooks: they may refuse a call, want a person for it, or change its input, which the gate then judges
// again. What the gate refuses they cannot lift, so they are not asked.
import type { JsonObject } from '@quarterdeck/protocol'
import type { SessionOptions, ToolCall, ToolVerdict } from '../backend.ts'
import { type CompleteHookAnswer, objectionOf, readHookAnswer } from './hook-output.ts'

type Verdict = ToolVerdict | { readonly type: 'ask' }

export interface JudgedCall {
  readonly call: ToolCall
  readonly verdict: Verdict
  /** As the SDK tells it to hooks. */
  readonly input: JsonObject
}

export interface Narrowed {
  readonly verdict: Verdict
  /** What the call would run with. */
  readonly input: JsonObject
  /** Why a person is to decide although the rules would not ask. */
  readonly because: string | undefined
  /** What else the hooks said. */
  readonly output: JsonObject
  /** Why the whole turn ends here, if a hook wants that. */
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
    because: isForced ? permissionDecisionReason || 'a hook wants a person to decide' : undefined,
    output,
    stops: null,
  }
}

/** Only what is known to be well-formed: for one odd field the Claude CLI would ignore the verdict beside it (measured). */
function forwardedFields({
  continue: continues,
  stopReason,
  systemMessage,
  suppressOutput,
  hookSpecificOutput,
}: CompleteHookAnswer): JsonObject {
  const { additionalContext } = hookSpecificOutput
  const fields = { continue: continues, stopReason, systemMessage, suppressOutput }
  const hookAnswer = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return additionalContext === undefined ? hookAnswer : { ...hookAnswer, hookSpecificOutput: { additionalContext } }
}
