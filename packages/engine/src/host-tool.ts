// A tool that the engine runs has two names: the one in the agent file (or the MCP server's own), and the one the model
// calls it by, which is the same on every backend.
import type { AgentDefinition, AgentTool } from '@quarterdeck/protocol'

const ownServer = 'tools'

/** Names of MCP servers that an agent file may not give to its own. */
export const reservedServerNames: readonly string[] = [ownServer, 'client']

/** The longest name of a function that every provider takes. */
const longestName = 64

/** Of a function, prompt or skill tool. */
export const hostToolName = (name: string): string => `mcp__${ownServer}__${name}`

/** Of a tool that searches documents. */
export const searchToolName = (name: string): string => hostToolName(`${name}_search`)

export const mcpToolName = (server: string, tool: string): string =>
  `mcp__${server}__${tool.replaceAll(/[^0-9A-Za-z_-]/g, '_')}`.slice(0, longestName)

/** Which tool of the agent file a call is about; `null` when the file names none, and for what clients run. */
export function findHostTool(tools: readonly AgentTool[], toolName: string): AgentTool | null {
  return tools.find((tool) => isCalledBy(tool, toolName)) ?? null
}

function isCalledBy(tool: AgentTool, toolName: string): boolean {
  switch (tool.type) {
    case 'mcp':
      return toolName.startsWith(`mcp__${tool.name}__`)
    case 'vectorstore':
    case 'hierarchical_document':
      return toolName === searchToolName(tool.name)
    case 'client':
      return false
    default:
      return toolName === hostToolName(tool.name)
  }
}

/** Every way to write a tool in a list or a rule: its own name, the model's, and the server it belongs to. */
export function spellingsOf(tool: AgentTool, toolName: string): readonly string[] {
  if (tool.type === 'mcp') return [toolName, tool.name, `mcp__${tool.name}`]
  const own = toolName.slice(hostToolName('').length)
  return [...new Set([toolName, own, tool.name])]
}

export interface HostToolOwner extends Pick<AgentDefinition, 'claude'> {
  readonly tools: readonly AgentTool[]
}

/** Whether the agent file names it and its lists leave room for it. */
export function isHostToolOffered({ tools, claude }: HostToolOwner, name: string): boolean {
  const tool = findHostTool(tools, name)
  if (tool === null) return false
  const spellings = spellingsOf(tool, name)
  const isIn = (list: readonly string[]) => list.some((entry) => spellings.includes(entry) || covers(entry, name))
  const { allowedTools, disallowedTools } = claude
  return (allowedTools === null || isIn(allowedTools)) && !isIn(disallowedTools)
}

/** `mcp__server__*`, and whatever else ends in an asterisk. */
const covers = (entry: string, toolName: string): boolean =>
  entry.endsWith('*') && toolName.startsWith(entry.slice(0, -1)) && entry.startsWith('mcp__')
