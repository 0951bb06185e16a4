// Records the inputs that calls ran with after a hook or a person changed them, for the log.
import type { JsonObject } from '@quarterdeck/protocol'
import type { ToolGate, ToolVerdict } from '../../backends/backend.ts'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'
import type { ToolCall } from '../../ports/tool-call.ts'

export type ChangedInputs = ReturnType<typeof createChangedInputs>

/** Wraps the gate: the first check of a call sees the agent's input, later checks see changed ones. */
export function createChangedInputs() {
  const asked = new Map<string, string>()
  const changed = new Map<string, JsonObject>()

  /** A check may also exclude secret files from a call: that alone does not count as a change. */
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
    /** Returned once; `undefined` if the call ran as the agent asked. */
    take(toolUseId: string): JsonObject | undefined {
      const input = changed.get(toolUseId)
      asked.delete(toolUseId)
      changed.delete(toolUseId)
      return input
    },
    /** Call at the end of a turn. */
    clear(): void {
      asked.clear()
      changed.clear()
    },
  }
}
