import type { AgentTool } from '@quarterdeck/protocol'
import { toolOf } from '../tool-names/host-tool-names.ts'

/** `Task` is the older name. The CLI tells of calls of `Agent`, whichever of the two the model called (measured). */
const startsSubagent = ['Agent', 'Task']

/** What a matcher may call a tool: by the name the model calls it by, the one of the agent file, an older one. */
export function matchableToolNames(callName: string, tools: readonly AgentTool[]): readonly string[] {
  const own = toolOf(tools, callName)?.name
  const older = startsSubagent.includes(callName) ? startsSubagent : []
  return [...new Set([callName, ...(own === undefined ? [] : [own]), ...older])]
}
