// `subagents.max_parallel`: how many subagents of one session may work at the same time.
import type { ToolCall, ToolVerdict } from '../../backends/backend.ts'
import { canonicalToolName } from '../../permissions/tools/available-tools.ts'

export type SubagentBound = ReturnType<typeof createSubagentBound>

export function createSubagentBound(limit: number) {
  const working = new Set<string>()

  return {
    /** True for everything that is not a subagent, and for a subagent there is room for. */
    admits({ toolName, toolUseId }: ToolCall): boolean {
      if (!isSubagentCall(toolName) || working.has(toolUseId)) return true
      if (working.size >= limit) return false
      working.add(toolUseId)
      return true
    },
    /** The call has its result: there is room for another. */
    free(toolUseId: string): void {
      working.delete(toolUseId)
    },
    /** The turn is over, and with it whatever it had under way. */
    freeAll(): void {
      working.clear()
    },
    refusal: {
      type: 'deny',
      message: `At most ${limit} subagents may work at the same time. Wait for one to finish, then ask again.`,
    } satisfies ToolVerdict,
  }
}

/** Starts a subagent, or goes on with one. */
const isSubagentCall = (toolName: string): boolean =>
  canonicalToolName(toolName) === 'Agent' || toolName === 'SendMessage'
