// After the gate the hooks: they may refuse a call, want a person for it, or change its input, which the gate then judges
// again. What the gate refuses they cannot lift, so they are not asked.
import type { JsonObject } from '@quarterdeck/protocol'
import type { SessionOptions, ToolCall, ToolVerdict } from './backend.ts'
import { type Heeded, heed, objectionOf } from './hook-said.ts'

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
  if (verdict.type === 'deny' || !hooks.isHeard('PreToolUse')) return asIs
  const said = heed('PreToolUse', await hooks.run('PreToolUse', input, signal))
  const output = handedOn(said)
  const { permissionDecision, permissionDecisionReason, updatedInput } = said.hookSpecificOutput
  if (said.continue === false) {
    const message = said.stopReason || 'a hook ended the turn'
    return { ...asIs, verdict: { type: 'deny', message }, output, stops: message }
  }
  const isDenied = permissionDecision === 'deny'
  const refused = isDenied ? ({ decision: 'block', reason: permissionDecisionReason || said.reason } as const) : said
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
function handedOn({
  continue: goesOn,
  stopReason,
  systemMessage,
  suppressOutput,
  hookSpecificOutput,
}: Heeded): JsonObject {
  const { additionalContext } = hookSpecificOutput
  const given = { continue: goesOn, stopReason, systemMessage, suppressOutput }
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return additionalContext === undefined ? said : { ...said, hookSpecificOutput: { additionalContext } }
}
