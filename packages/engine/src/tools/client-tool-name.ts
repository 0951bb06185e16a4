// A client's tool has two names: the one its client gave it, and the one the model calls it by.
const prefix = 'mcp__client__'

export const clientToolName = (name: string): string => `${prefix}${name}`

/** The client's own name of a tool, or `null` for a tool that no client runs. */
export const ownNameOf = (toolName: string): string | null =>
  toolName.startsWith(prefix) ? toolName.slice(prefix.length) : null
