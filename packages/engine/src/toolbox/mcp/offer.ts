// What an MCP server offers, as far as its tool in the agent file lets it.
import type { McpTool } from '@quarterdeck/protocol'
import type { HostTool } from '../../backends/backend.ts'
import { mcpToolName } from '../../host-tool.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { ListedTool } from './connection.ts'

export interface Offer {
  list(): readonly HostTool[]
  /** By the name the model calls it by. */
  find(toolName: string): ListedTool | undefined
  set(listed: readonly ListedTool[]): void
}

export function createOffer(
  server: McpTool,
  { logger, onChange }: { readonly logger: Logger; readonly onChange: () => void },
): Offer {
  let tools: readonly ListedTool[] = []

  const fullName = ({ name }: ListedTool): string => mcpToolName(server.name, name)

  /** Two names that only differ where providers see no difference. */
  function withoutTwins(listed: readonly ListedTool[]): readonly ListedTool[] {
    const taken = new Set<string>()
    return listed.filter((one) => {
      const full = fullName(one)
      if (!taken.has(full)) return taken.add(full)
      logger.warn({ server: server.name, tool: one.name }, 'a tool is left out: another has its name')
      return false
    })
  }

  return {
    list: () =>
      tools.map((one) => ({ name: fullName(one), description: one.description, inputSchema: one.inputSchema })),
    find: (toolName) => tools.find((one) => fullName(one) === toolName),
    set(listed) {
      const before = JSON.stringify(tools)
      tools = withoutTwins(listed.filter(({ name }) => isOffered(server, name)))
      if (JSON.stringify(tools) !== before) onChange()
    },
  }
}

const isOffered = ({ allowedTools, disallowedTools }: McpTool, name: string): boolean =>
  (allowedTools === null || allowedTools.includes(name)) && !disallowedTools.includes(name)
