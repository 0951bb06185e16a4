// Which tool of the agent file a call means. Files know a tool by its own name, models by one with a prefix.
import { type AgentTool, assertNever } from '@quarterdeck/protocol'
import { clientToolName } from './client-tool.ts'
import { hostToolName, mcpToolName, searchToolName } from './host-tool.ts'

/** Of servers whose names begin alike, the longer. */
export function toolOf(toolName: string, tools: readonly AgentTool[]): AgentTool | undefined {
  return tools
    .filter((tool) => isCalledBy(tool, toolName))
    .toSorted((one, other) => other.name.length - one.name.length)[0]
}

function isCalledBy(tool: AgentTool, toolName: string): boolean {
  switch (tool.type) {
    case 'mcp':
      return toolName.startsWith(mcpToolName(tool.name, ''))
    case 'client':
      return toolName === clientToolName(tool.name)
    case 'vectorstore':
    case 'hierarchical_document':
      return toolName === searchToolName(tool.name)
    case 'function':
    case 'prompt':
    case 'skill':
      return toolName === hostToolName(tool.name)
    default:
      return assertNever(tool)
  }
}
