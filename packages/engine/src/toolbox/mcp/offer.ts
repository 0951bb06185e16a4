// The tools that an MCP server offers, as far as its entry in the agent file allows.
import type { McpTool } from '@quarterdeck/protocol'
import { mcpToolName, mcpTwinName } from '../../tool-names/host-tool-names.ts'
import type { ListedTool } from './list-tools.ts'

export interface OfferListener {
  readonly onChange: () => void
  /** Called when something is left out, with the reason. */
  readonly onOmitted: (why: string) => void
}

/** More than a model can distinguish, and than a provider accepts. */
const mostTools = 500
/** Characters of all of them together, as in a request. */
const longestOffer = 1_000_000

export function createOffer(server: McpTool, { onChange, onOmitted }: OfferListener) {
  let tools: ReadonlyMap<string, ListedTool> = new Map()

  function bounded(listed: readonly ListedTool[]): readonly ListedTool[] {
    const lengths = listed.map((one) => JSON.stringify(one).length)
    const upTo = (index: number) => lengths.slice(0, index + 1).reduce((sum, length) => sum + length, 0)
    const fitting = listed.slice(0, mostTools).filter((_, index) => upTo(index) <= longestOffer)
    const over = listed.length - fitting.length
    if (over > 0)
      onOmitted(`${over} of its ${listed.length} tools are left out: list the ones you need in allowed_tools`)
    return fitting
  }

  function reportUnknown(listed: readonly ListedTool[]): void {
    const unknown = (server.allowedTools ?? []).filter((name) => !listed.some((one) => one.name === name))
    if (unknown.length > 0) onOmitted(`it has no ${unknown.join(', ')}, which allowed_tools names`)
  }

  return {
    list: () => [...tools].map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
    /** By the name that the model uses. */
    find: (toolName: string) => tools.get(toolName),
    set(listed: readonly ListedTool[]) {
      reportUnknown(listed)
      const before = JSON.stringify([...tools])
      tools = byCallName(server.name, bounded(listed.filter(({ name }) => isOffered(server, name))))
      if (JSON.stringify([...tools]) !== before) onChange()
    },
  }
}

/** Names that providers cannot distinguish all get a suffix, so that none can impersonate another. */
function byCallName(server: string, listed: readonly ListedTool[]): ReadonlyMap<string, ListedTool> {
  const taken = listed.map(({ name }) => mcpToolName(server, name))
  const isTwin = (name: string) => taken.indexOf(name) !== taken.lastIndexOf(name)
  return new Map(
    listed.map((one) => {
      const name = mcpToolName(server, one.name)
      return [isTwin(name) ? mcpTwinName(server, one.name) : name, one]
    }),
  )
}

const isOffered = ({ allowedTools, disallowedTools }: McpTool, name: string): boolean =>
  (allowedTools === null || allowedTools.includes(name)) && !disallowedTools.includes(name)
