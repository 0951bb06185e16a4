// A tool that the engine runs has two names: the one in the agent file (or the MCP server's own), and the one the model
// calls it by, which is the same on every backend.
import { createHash } from 'node:crypto'
import { type AgentDefinition, type AgentTool, isRetrievalTool } from '@quarterdeck/protocol'
import { clientToolName } from './client-tool-names.ts'

const ownServer = 'tools'

/** Names of MCP servers that an agent file may not give to its own. */
export const reservedServerNames: readonly string[] = [ownServer, 'client']

/** The longest name of a function that every provider takes. */
const longestName = 64

/** So that something of a tool's own name is left. */
export const longestServerName = 40

/** Of a function, prompt or skill tool. */
export const hostToolName = (name: string): string => `mcp__${ownServer}__${name}`

/** Of a tool that searches documents. */
export const searchToolName = (name: string): string => hostToolName(`${name}_search`)

export const mcpToolName = (server: string, tool: string): string =>
  asProvidersTake(`mcp__${server}__${tool.replaceAll('*', '_')}`)

/** Of one whose name would be that of another tool of its server: told apart by a mark of what the server calls it. */
export function mcpTwinName(server: string, tool: string): string {
  const mark = `_${createHash('sha256').update(tool).digest('hex').slice(0, 6)}`
  return `${mcpToolName(server, tool).slice(0, longestName - mark.length)}${mark}`
}

/** With the `*` of a pattern. */
const asProvidersTake = (name: string): string => name.replaceAll(/[^0-9A-Za-z_*-]/g, '_').slice(0, longestName)

/**
 * What stands in a list or a rule, as names the model calls tools by. A tool of a server may be written as the server
 * writes it, and `*` stands for any text.
 */
export function callPatternsOf(written: string): readonly string[] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(written) ?? []
  if (server === undefined || tool === undefined) return [written]
  return [...new Set([asProvidersTake(written), ...(written.includes('*') ? [] : [mcpTwinName(server, tool)])])]
}

/** Which tool of the agent file a call means; `null` when the file names none. Files know a tool by its own name. */
export function toolOf(tools: readonly AgentTool[], toolName: string): AgentTool | null {
  // Of two servers whose names begin alike it is the longer one.
  return tools.filter((tool) => isCalledBy(tool, toolName)).toSorted((a, b) => b.name.length - a.name.length)[0] ?? null
}

/** The same without what clients run. */
export function findHostTool(tools: readonly AgentTool[], toolName: string): AgentTool | null {
  const tool = toolOf(tools, toolName)
  return tool?.type === 'client' ? null : tool
}

function isCalledBy(tool: AgentTool, toolName: string): boolean {
  if (tool.type === 'mcp') return toolName.startsWith(mcpToolName(tool.name, ''))
  return tool.type === 'client' ? toolName === clientToolName(tool.name) : callNamesOf(tool).includes(toolName)
}

/** What the model calls it by. Of a server only the server knows, and what clients run is not run here. */
export function callNamesOf(tool: AgentTool): readonly string[] {
  if (tool.type === 'mcp' || tool.type === 'client') return []
  return [isRetrievalTool(tool) ? searchToolName(tool.name) : hostToolName(tool.name)]
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
  const { allowedTools, disallowedTools } = claude
  if (findHostTool(tools, name) === null) return false
  return (allowedTools === null || isListed(tools, allowedTools, name)) && !isListed(tools, disallowedTools, name)
}

/** Whether a list of the agent file means this tool: by any of its names, or as `mcp__server__*`. */
export function isListed(tools: readonly AgentTool[], list: readonly string[], name: string): boolean {
  const tool = findHostTool(tools, name)
  const spellings = tool === null ? [name] : spellingsOf(tool, name)
  return list.flatMap(callPatternsOf).some((entry) => spellings.includes(entry) || covers(entry, name))
}

const covers = (entry: string, name: string): boolean =>
  entry.startsWith('mcp__') && entry.endsWith('*') && name.startsWith(entry.slice(0, -1))
