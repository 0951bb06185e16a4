import type { AgentTool } from '@quarterdeck/protocol'
import { toolOf } from '../tool-names/host-tool-names.ts'

/** `Task` is the older name. The CLI reports `Agent` for both names (measured). */
const startsSubagent = ['Agent', 'Task']

/** The names a matcher may use for a tool: its call name, its name in the agent file, an older name. */
export function matchableToolNames(callName: string, tools: readonly AgentTool[]): readonly string[] {
  const own = toolOf(tools, callName)?.name
  const older = startsSubagent.includes(callName) ? startsSubagent : []
  return [...new Set([callName, ...(own === undefined ? [] : [own]), ...older])]
}
