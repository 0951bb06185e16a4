// A tool that a client runs has two names: the client's own, and the one for the model.
import type { AgentTool, ClaudeSettings, ClientTool } from '@quarterdeck/protocol'

const prefix = 'mcp__client__'

export const clientToolName = (name: string): string => `${prefix}${name}`

/** The client's own name of a tool, or `null` if no client runs it. */
export const ownNameOf = (toolName: string): string | null =>
  toolName.startsWith(prefix) ? toolName.slice(prefix.length) : null

/** Whether the agent file allows it. Both lists may use either name. */
export function isClientToolOffered({ allowedTools, disallowedTools }: ClaudeSettings, name: string): boolean {
  const isIn = (list: readonly string[]) => list.includes(name) || list.includes(clientToolName(name))
  return (allowedTools === null || isIn(allowedTools)) && !isIn(disallowedTools)
}

/** The client tools of the agent file. Their calls wait for a client that returns the result. */
export const declaredClientTools = (tools: readonly AgentTool[]): readonly ClientTool[] =>
  tools.flatMap((tool) =>
    tool.type === 'client' ? [{ name: tool.name, description: tool.description, inputSchema: tool.parameters }] : [],
  )
