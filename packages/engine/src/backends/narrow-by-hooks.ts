// After the gate the hooks: they may refuse a call, want a person for it, or change its input, which the gate then judges
// again. What the gate refuses they cannot lift, so they are not asked.
import type { JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { SessionOptions, ToolCall, ToolVerdict } from './backend.ts'

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

const Said = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  /** The older way to refuse, for every event. */
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.string().optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
    })
    .default({}),
})

export async function narrowByHooks(
  { gate, hooks }: Pick<SessionOptions, 'gate' | 'hooks'>,
  { call, verdict, input }: JudgedCall,
  signal: AbortSignal,
): Promise<Narrowed> {
  const asIs = { verdict, input: call.toolInput, because: undefined, output: {}, stops: null }
  if (verdict.type === 'deny' || !hooks.isHeard('PreToolUse')) return asIs
  const output = await hooks.run('PreToolUse', input, signal)
  const said = Said.safeParse(output)
  // What cannot be read may have been a refusal.
  if (!said.success) return { ...asIs, verdict: { type: 'deny', message: unreadable } }
  const { decision, reason, hookSpecificOutput, stopReason = 'a hook ended the turn' } = said.data
  if (said.data.continue === false) {
    return { ...asIs, verdict: { type: 'deny', message: stopReason }, output, stops: stopReason }
  }
  const { permissionDecision, permissionDecisionReason, updatedInput } = hookSpecificOutput
  if (permissionDecision === 'deny' || decision === 'block') {
    const why = permissionDecision === 'deny' ? (permissionDecisionReason ?? reason) : reason
    const message = why ?? `${call.toolName} was refused by a hook.`
    return { ...asIs, verdict: { type: 'deny', message }, output }
  }
  const changed = updatedInput ?? call.toolInput
  const judged = updatedInput === undefined ? verdict : await gate.check({ ...call, toolInput: changed })
  const isForced = permissionDecision === 'ask' && judged.type === 'allow'
  return {
    verdict: isForced ? { type: 'ask' } : judged,
    input: changed,
    because: isForced ? (permissionDecisionReason ?? 'a hook wants a person to decide') : undefined,
    output,
    stops: null,
  }
}

const unreadable = 'a hook that watches over tool calls answered something that cannot be read'
