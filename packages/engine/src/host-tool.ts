// A tool that the engine runs has two names: the one in the agent file (or the MCP server's own), and the one the model
// calls it by, which is the same on every backend.

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
