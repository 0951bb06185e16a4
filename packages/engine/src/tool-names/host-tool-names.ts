// A tool that the engine runs has two names: the one in the agent file (or of the MCP server), and the one for the
// model, which is the same on every backend.
import { createHash } from 'node:crypto'
import { type AgentDefinition, type AgentTool, isRetrievalTool } from '@quarterdeck/protocol'
import { clientToolName } from './client-tool-names.ts'

const ownServer = 'tools'

/** Server names that an agent file may not use. */
export const reservedServerNames: readonly string[] = [ownServer, 'client']

/** The longest function name that every provider accepts. */
const longestName = 64

/** Leaves room for the tool's own name. */
export const longestServerName = 40

/** For a function, prompt or skill tool. */
export const hostToolName = (name: string): string => `mcp__${ownServer}__${name}`

/** For a tool that searches documents. */
export const searchToolName = (name: string): string => hostToolName(`${name}_search`)

export const mcpToolName = (server: string, tool: string): string =>
  asProvidersTake(`mcp__${server}__${tool.replaceAll('*', '_')}`)

/** For a tool whose name would equal that of another tool of its server: a hash of its own name tells them apart. */
export function mcpTwinName(server: string, tool: string): string {
  const mark = `_${createHash('sha256').update(tool).digest('hex').slice(0, 6)}`
  return `${mcpToolName(server, tool).slice(0, longestName - mark.length)}${mark}`
}

/** Keeps the `*` of a pattern. */
const asProvidersTake = (name: string): string => name.replaceAll(/[^0-9A-Za-z_*-]/g, '_').slice(0, longestName)

/**
 * An entry of a list or a rule, as names for the model. A tool of a server may be written as the server writes it, and
 * `*` matches any text.
 */
export function callPatternsOf(written: string): readonly string[] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(written) ?? []
  if (server === undefined || tool === undefined) return [written]
  return [...new Set([asProvidersTake(written), ...(written.includes('*') ? [] : [mcpTwinName(server, tool)])])]
}

/** The tool of the agent file that a call refers to; `null` if the file names none. Files use a tool's own name. */
export function toolOf(tools: readonly AgentTool[], toolName: string): AgentTool | null {
  // If two server names share a prefix, the longer one matches.
  return tools.filter((tool) => isCalledBy(tool, toolName)).toSorted((a, b) => b.name.length - a.name.length)[0] ?? null
}

/** As `toolOf`, without the tools that clients run. */
export function findHostTool(tools: readonly AgentTool[], toolName: string): AgentTool | null {
  const tool = toolOf(tools, toolName)
  return tool?.type === 'client' ? null : tool
}

function isCalledBy(tool: AgentTool, toolName: string): boolean {
  if (tool.type === 'mcp') return toolName.startsWith(mcpToolName(tool.name, ''))
  return tool.type === 'client' ? toolName === clientToolName(tool.name) : callNamesOf(tool).includes(toolName)
}

/** The names for the model. Only an MCP server knows its own tools, and clients run theirs. */
export function callNamesOf(tool: AgentTool): readonly string[] {
  if (tool.type === 'mcp' || tool.type === 'client') return []
  return [isRetrievalTool(tool) ? searchToolName(tool.name) : hostToolName(tool.name)]
}

/** Every spelling of a tool in a list or a rule: its own name, the model's, and its server. */
export function spellingsOf(tool: AgentTool, toolName: string): readonly string[] {
  if (tool.type === 'mcp') return [toolName, tool.name, `mcp__${tool.name}`]
  const own = toolName.slice(hostToolName('').length)
  return [...new Set([toolName, own, tool.name])]
}

export interface HostToolOwner extends Pick<AgentDefinition, 'claude'> {
  readonly tools: readonly AgentTool[]
}

/** Whether the agent file names it and its lists allow it. */
export function isHostToolOffered({ tools, claude }: HostToolOwner, name: string): boolean {
  const { allowedTools, disallowedTools } = claude
  if (findHostTool(tools, name) === null) return false
  return (allowedTools === null || isListed(tools, allowedTools, name)) && !isListed(tools, disallowedTools, name)
}

/** Whether a list of the agent file contains this tool: by any of its names, or as `mcp__server__*`. */
export function isListed(tools: readonly AgentTool[], list: readonly string[], name: string): boolean {
  const tool = findHostTool(tools, name)
  const spellings = tool === null ? [name] : spellingsOf(tool, name)
  return list.flatMap(callPatternsOf).some((entry) => spellings.includes(entry) || covers(entry, name))
}

const covers = (entry: string, name: string): boolean =>
  entry.startsWith('mcp__') && entry.endsWith('*') && name.startsWith(entry.slice(0, -1))
