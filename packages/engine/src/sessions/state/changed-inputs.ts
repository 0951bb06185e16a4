// What a call ran with, where a hook or a person changed what the agent asked for: the log has to say it.
import type { JsonObject } from '@quarterdeck/protocol'
import type { ToolCall, ToolGate, ToolVerdict } from '../../backends/backend.ts'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'

export type ChangedInputs = ReturnType<typeof createChangedInputs>

/** Hears the gate: the first check of a call is of what the agent asked for, a later one of what was made of it. */
export function createChangedInputs() {
  const asked = new Map<string, string>()
  const changed = new Map<string, JsonObject>()

  /** A check also keeps calls out of secret files: that alone is no change of what was asked for. */
  function recordVerdict(
    { toolUseId }: ToolCall,
    verdict: ToolVerdict | { readonly type: 'ask' },
    judged: JsonObject,
  ): void {
    if (verdict.type !== 'allow' || canonicalJson(judged) === asked.get(toolUseId)) changed.delete(toolUseId)
    else changed.set(toolUseId, verdict.input)
  }

  return {
    listenTo: (gate: ToolGate): ToolGate => ({
      async check(call) {
        if (!asked.has(call.toolUseId)) asked.set(call.toolUseId, canonicalJson(call.toolInput))
        const verdict = await gate.check(call)
        recordVerdict(call, verdict, call.toolInput)
        return verdict
      },
      async ask(call, signal, because) {
        const verdict = await gate.ask(call, signal, because)
        recordVerdict(call, verdict, verdict.type === 'allow' ? verdict.input : call.toolInput)
        return verdict
      },
    }),
    /** Told once; `undefined` when it ran as the agent asked. */
    take(toolUseId: string): JsonObject | undefined {
      const input = changed.get(toolUseId)
      asked.delete(toolUseId)
      changed.delete(toolUseId)
      return input
    },
    /** The turn is over, and with it whatever it had under way. */
    clear(): void {
      asked.clear()
      changed.clear()
    },
  }
}
