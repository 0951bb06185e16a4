// The tools of one session: what its agent file names, started and ready to be called.
import { type AgentDefinition, type AgentTool, isRetrievalTool } from '@quarterdeck/protocol'
import type { ToolOutput } from '../backends/backend.ts'
import { isHostToolOffered, toolOf } from '../host-tool.ts'
import type { OpenHostToolbox, OpenSearchTools, OpenToolbox } from '../host-toolbox.ts'
import type { Isolation } from '../isolation/hide-files.ts'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createModuleHosts } from './modules/module-hosts.ts'
import { openPart, type PartMakers } from './open-part.ts'
import { searchPart } from './search-tool.ts'
import { failed, type ToolPart } from './tool-part.ts'
import { createToolboxNews, type ToolboxNews } from './toolbox-news.ts'

export type ToolboxesOptions = Omit<PartMakers, 'hosts' | 'isolation'> &
  Partial<Pick<PartMakers, 'isolation'>> & {
    /** Whether modules are loaded anew when their files change. */
    readonly isWatching: boolean
    /** How much memory a worker of functions may take. */
    readonly memoryMb?: number
    readonly searchTools: OpenSearchTools
  }

export interface Toolboxes {
  readonly open: OpenToolbox
  /** Ends what the toolboxes of all sessions share. */
  close(): Promise<void>
}

/** What every toolbox of this engine shares. */
export function createToolboxes(options: ToolboxesOptions): Toolboxes {
  const { isWatching, memoryMb, redact, logger } = options
  const hosts = createModuleHosts({ isWatching, memoryMb, redact, logger })
  let measured: ReturnType<PartMakers['isolation']> | null = null
  const isolation = options.isolation ?? (() => (measured ??= measure(options.logger)))
  const makers: PartMakers = { ...options, hosts, isolation }
  return {
    async open(agent, opening) {
      const { signal } = opening
      const news = createToolboxNews()
      const opened = await Promise.allSettled([
        openSearches(agent, options.searchTools, signal),
        ...agent.tools.map(async (tool) => {
          // A signal of its own: each tool listens to it, and Node takes many listeners of one for a leak.
          const own = { ...opening, signal: AbortSignal.any([signal]) }
          return (await openPart(makers, tool, { agent, opening: own, news })).map((part) =>
            ownOf(part, tool, agent.tools),
          )
        }),
      ])
      const parts = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      const broken = opened.find((one) => one.status === 'rejected')
      if (broken === undefined && !signal.aborted) return toolboxOf({ agent, parts, news, redact: options.redact })
      await Promise.all(parts.map((part) => part.close()))
      throw signal.aborted ? signal.reason : broken?.reason
    },
    close: hosts.close,
  }
}

/** Whose a name is the gate was told, too: what would pass for another's is not there. */
const ownOf = (part: ToolPart, tool: AgentTool, tools: readonly AgentTool[]): ToolPart => ({
  ...part,
  list: () => part.list().filter(({ name }) => toolOf(tools, name) === tool),
})

async function measure(logger: Logger): Promise<Isolation> {
  const isolation = await probeIsolation()
  if (isolation.why !== null) logger.warn({}, isolation.why)
  return isolation
}

async function openSearches(
  agent: AgentDefinition,
  open: OpenSearchTools,
  signal: AbortSignal,
): Promise<readonly ToolPart[]> {
  return agent.tools.some(isRetrievalTool) ? (await open(agent, signal)).map(searchPart) : []
}

interface ToolboxParts {
  readonly agent: AgentDefinition
  readonly parts: readonly ToolPart[]
  readonly news: ToolboxNews
  readonly redact: (text: string) => string
}

function toolboxOf({ agent, parts, news, redact }: ToolboxParts): OpenHostToolbox {
  const redacted = ({ output, ...rest }: ToolOutput): ToolOutput => ({ ...rest, output: redact(output) })

  const offered = (part: ToolPart) => part.list().filter(({ name }) => isHostToolOffered(agent, name))
  let closed: Promise<void> | null = null
  return {
    list: () => parts.flatMap(offered),
    onChange: news.onChange,
    servers: news.servers,
    onServer: news.onServer,
    async call(call, signal) {
      const part = parts.find((one) => offered(one).some(({ name }) => name === call.toolName))
      if (part === undefined) return failed(`${call.toolName} is not there any more. Go on without it.`)
      try {
        return redacted(await part.call(call, signal))
      } catch (error) {
        return redacted(failed(error instanceof Error ? error.message : String(error)))
      }
    },
    close() {
      closed ??= Promise.all(parts.map((part) => part.close())).then(() => undefined)
      return closed
    },
  }
}
