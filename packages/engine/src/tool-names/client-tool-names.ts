// A tool that a client runs has two names: the one its client gave it, and the one the model calls it by.
import type { AgentTool, ClaudeSettings, ClientTool } from '@quarterdeck/protocol'

const prefix = 'mcp__client__'

export const clientToolName = (name: string): string => `${prefix}${name}`

/** The client's own name of a tool, or `null` for a tool that no client runs. */
export const ownNameOf = (toolName: string): string | null =>
  toolName.startsWith(prefix) ? toolName.slice(prefix.length) : null

/** Whether the agent file leaves room for it. Both of its names count in both lists. */
export function isClientToolOffered({ allowedTools, disallowedTools }: ClaudeSettings, name: string): boolean {
  const isIn = (list: readonly string[]) => list.includes(name) || list.includes(clientToolName(name))
  return (allowedTools === null || isIn(allowedTools)) && !isIn(disallowedTools)
}

/** Those of the agent file: a call waits for a client that returns its result. */
export const declaredClientTools = (tools: readonly AgentTool[]): readonly ClientTool[] =>
  tools.flatMap((tool) =>
    tool.type === 'client' ? [{ name: tool.name, description: tool.description, inputSchema: tool.parameters }] : [],
  )
