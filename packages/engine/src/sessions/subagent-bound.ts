// `subagents.max_parallel`: how many subagents of one session may work at the same time.
import type { SessionState } from '@quarterdeck/protocol'
import type { ToolCall, ToolVerdict } from '../backends/backend.ts'
import { canonicalToolName } from '../tools/available-tools.ts'

export function createSubagentBound(limit: number) {
  /** Admitted calls, and whether the log has shown them running yet: the call can reach the gate before the log. */
  const admitted = new Map<string, { isSeen: boolean }>()

  function forgetFinished({ openTools }: SessionState): void {
    const open = new Set(openTools.map(({ toolUseId }) => toolUseId))
    for (const [toolUseId, call] of admitted) {
      if (open.has(toolUseId)) call.isSeen = true
      else if (call.isSeen) admitted.delete(toolUseId)
    }
  }

  return {
    /** True for everything that is not a subagent, and for a subagent there is room for. */
    admits(call: ToolCall, state: SessionState): boolean {
      if (canonicalToolName(call.toolName) !== 'Agent' || admitted.has(call.toolUseId)) return true
      forgetFinished(state)
      if (admitted.size >= limit) return false
      admitted.set(call.toolUseId, { isSeen: false })
      return true
    },
    refusal: {
      type: 'deny',
      message: `At most ${limit} subagents may work at the same time. Wait for one to finish, then ask again.`,
    } satisfies ToolVerdict,
  }
}
