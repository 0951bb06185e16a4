// The tools of one session: those of its agent file, started and ready to be called.
import { type AgentDefinition, type AgentTool, createEmitter, isRetrievalTool, messageOf } from '@quarterdeck/protocol'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import type { Isolation } from '../isolation/sandbox-command.ts'
import type {
  HostToolbox,
  McpServerState,
  OpenHostToolbox,
  OpenSearchTools,
  OpenToolbox,
  SearchTool,
} from '../ports/host-toolbox.ts'
import type { Logger } from '../ports/logger.ts'
import type { ToolOutput } from '../ports/tool-call.ts'
import { isHostToolOffered, toolOf } from '../tool-names/host-tool-names.ts'
import { createInputCheck } from './check-input.ts'
import { createModuleHosts } from './modules/module-hosts.ts'
import { openToolSource, type ToolSourceDeps } from './open-tool-source.ts'
import { failed, type ToolSource, type ToolSourceEvents } from './tool-source.ts'

export type ToolboxesOptions = Omit<ToolSourceDeps, 'hosts' | 'isolation'> &
  Partial<Pick<ToolSourceDeps, 'isolation'>> & {
    /** Whether modules are reloaded when their files change. */
    readonly isWatching: boolean
    /** The memory limit of a function worker. */
    readonly memoryMb?: number
    readonly searchTools: OpenSearchTools
  }

export interface Toolboxes {
  readonly open: OpenToolbox
  /** Ends the resources that all toolboxes share. */
  close(): Promise<void>
}

/** The resources that all toolboxes of this engine share. */
export function createToolboxes(options: ToolboxesOptions): Toolboxes {
  const { isWatching, memoryMb, redact, logger } = options
  const hosts = createModuleHosts({ isWatching, memoryMb, redact, logger })
  let measured: ReturnType<ToolSourceDeps['isolation']> | null = null
  const isolation = options.isolation ?? (() => (measured ??= measure(options.logger)))
  const deps: ToolSourceDeps = { ...options, hosts, isolation }
  return {
    async open(agent, opening) {
      const { signal } = opening
      const events = createToolboxEvents()
      const opened = await Promise.allSettled([
        openSearches(agent, options.searchTools, signal),
        ...agent.tools.map(async (tool) => {
          // A separate signal: each tool adds a listener, and Node warns about many listeners on one signal.
          const own = { ...opening, signal: AbortSignal.any([signal]) }
          return (await openToolSource(deps, tool, { agent, opening: own, events })).map((source) =>
            withoutForeignNames(source, tool, agent.tools),
          )
        }),
      ])
      const sources = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      const broken = opened.find((one) => one.status === 'rejected')
      if (broken === undefined && !signal.aborted) return toolboxOf({ agent, sources, events, redact: options.redact })
      await Promise.all(sources.map((source) => source.close()))
      throw signal.aborted ? signal.reason : broken?.reason
    },
    close: hosts.close,
  }
}

/** The gate uses the same owner of each name: a tool that would impersonate another is left out. */
const withoutForeignNames = (source: ToolSource, tool: AgentTool, tools: readonly AgentTool[]): ToolSource => ({
  ...source,
  list: () => source.list().filter(({ name }) => toolOf(tools, name) === tool),
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
): Promise<readonly ToolSource[]> {
  return agent.tools.some(isRetrievalTool) ? (await open(agent, signal)).map(openSearchTool) : []
}

interface ToolboxContents {
  readonly agent: AgentDefinition
  readonly sources: readonly ToolSource[]
  readonly events: ToolboxEvents
  readonly redact: (text: string) => string
}

function toolboxOf({ agent, sources, events, redact }: ToolboxContents): OpenHostToolbox {
  const redacted = ({ output, ...rest }: ToolOutput): ToolOutput => ({ ...rest, output: redact(output) })

  const offered = (source: ToolSource) => source.list().filter(({ name }) => isHostToolOffered(agent, name))
  let closed: Promise<void> | null = null
  return {
    list: () => sources.flatMap(offered),
    onChange: events.onChange,
    servers: events.servers,
    onServer: events.onServer,
    async call(call, signal) {
      const source = sources.find((one) => offered(one).some(({ name }) => name === call.toolName))
      if (source === undefined) return failed(`${call.toolName} is no longer available. Continue without it.`)
      try {
        return redacted(await source.call(call, signal))
      } catch (error) {
        return redacted(failed(messageOf(error)))
      }
    },
    close() {
      closed ??= Promise.all(sources.map((source) => source.close())).then(() => undefined)
      return closed
    },
  }
}

/** Documents as a tool. The search itself is passed in. */
function openSearchTool({ hostTool, search, close }: SearchTool): ToolSource {
  const check = createInputCheck(hostTool.inputSchema)
  return {
    list: () => [hostTool],
    async call({ toolInput }, signal) {
      const problem = check(toolInput)
      if (problem !== null) return failed(problem)
      const { query, top_k: topK } = toolInput
      const options = typeof topK === 'number' ? { topK } : {}
      const { text } = await search(String(query), options, signal)
      return { output: text, isError: false }
    },
    close,
  }
}

interface ToolboxEvents extends ToolSourceEvents, Pick<HostToolbox, 'servers' | 'onChange' | 'onServer'> {}

function createToolboxEvents(): ToolboxEvents {
  const changes = createEmitter()
  const serverStates = createEmitter<[McpServerState]>()
  const states = new Map<string, McpServerState>()
  return {
    changed: changes.emit,
    server(state) {
      states.set(state.name, state)
      serverStates.emit(state)
    },
    servers: () => [...states.values()],
    onChange: changes.listen,
    onServer(listener) {
      // Servers start before a listener can subscribe, so their current states are reported on subscription.
      for (const state of states.values()) listener(state)
      return serverStates.listen(listener)
    },
  }
}
