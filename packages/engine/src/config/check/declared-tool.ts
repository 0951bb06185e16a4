import { isRetrievalTool } from '@quarterdeck/protocol'
import { hostToolName, searchToolName } from '../../tool-names/host-tool-names.ts'
import type { ToolBlock } from '../schema/tools-block.ts'

/** Whether a name refers to a tool of the file: by its own name, its call name, or the name of its server. */
export function isDeclared(name: string, tools: readonly ToolBlock[]): boolean {
  return tools.some((tool) => {
    if (name === tool.name) return true
    if (tool.type === 'mcp') return name === `mcp__${tool.name}` || name.startsWith(`mcp__${tool.name}__`)
    if (tool.type === 'client') return name === `mcp__client__${tool.name}`
    return isRetrievalTool(tool)
      ? [`${tool.name}_search`, searchToolName(tool.name)].includes(name)
      : name === hostToolName(tool.name)
  })
}
