// `subagents.max_parallel`: how many subagents of one session may work at the same time.

import type { ToolVerdict } from '../../backends/backend.ts'
import { canonicalToolName } from '../../permissions/tools/available-tools.ts'
import type { ToolCall } from '../../ports/tool-call.ts'

export type SubagentBound = ReturnType<typeof createSubagentBound>

export function createSubagentBound(limit: number) {
  const working = new Set<string>()

  return {
    /** True for every call that does not start a subagent, and for subagents within the limit. */
    admits({ toolName, toolUseId }: ToolCall): boolean {
      if (!isSubagentCall(toolName) || working.has(toolUseId)) return true
      if (working.size >= limit) return false
      working.add(toolUseId)
      return true
    },
    /** The call has its result. */
    free(toolUseId: string): void {
      working.delete(toolUseId)
    },
    /** The turn is over. */
    freeAll(): void {
      working.clear()
    },
    refusal: {
      type: 'deny',
      message: `At most ${limit} subagents may work at the same time. Wait for one to finish, then ask again.`,
    } satisfies ToolVerdict,
  }
}

/** Starts a subagent or continues one. */
const isSubagentCall = (toolName: string): boolean =>
  canonicalToolName(toolName) === 'Agent' || toolName === 'SendMessage'
