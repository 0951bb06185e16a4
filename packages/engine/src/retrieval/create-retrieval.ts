// The search tools of agents: ingested once per process and shared by all sessions.
import {
  type AgentDefinition,
  createEmitter,
  isRetrievalTool,
  QuarterdeckError,
  type RetrievalTool,
} from '@quarterdeck/protocol'
import type { SearchTool } from '../ports/host-toolbox.ts'
import type { Logger } from '../ports/logger.ts'
import type { EmbeddingAccess } from '../ports/model-connections.ts'
import { createEmbedders } from './embedders/create-embedders.ts'
import type { Embedder } from './embedders/embedder.ts'
import { localEmbedding } from './embedders/local-embedder.ts'
import type { IngestionProgress, IngestionReport } from './ingest.ts'
import { createSearchIndex, type SearchAnswer, type SearchIndex } from './search-index.ts'

export interface RetrievalDeps {
  readonly dataDir: string
  /** Not called for the local embedder. */
  readonly embeddings: (agent: AgentDefinition) => Promise<EmbeddingAccess>
  readonly logger: Logger
  readonly clock: { now(): Date }
}

export interface ToolProgress extends IngestionProgress {
  readonly agent: string
  readonly tool: string
}

export interface DocumentSearch extends SearchTool {
  /** The tool's name in the agent file. */
  readonly name: string
  search(query: string, options: { topK?: number | undefined }, signal: AbortSignal): Promise<SearchAnswer>
}

export type Retrieval = ReturnType<typeof createRetrieval>

export function createRetrieval(deps: RetrievalDeps) {
  const embedders = createEmbedders(deps)
  const indexes = new Map<string, { readonly index: SearchIndex; users: number }>()
  const progressing = createEmitter<[ToolProgress]>()
  const reportIngestion = createIngestionReporter(deps.logger)
  let isClosed = false

  function openIndex(agent: AgentDefinition, tool: RetrievalTool): SearchIndex {
    return createSearchIndex({
      ...deps,
      agent,
      tool,
      embedders,
      onProgress: (progress) => progressing.emit({ agent: agent.name, tool: tool.name, ...progress }),
      onReport: (report) => reportIngestion(agent, tool, report),
      isInUse: (file) => [...indexes.values()].some(({ index }) => index.file() === file),
    })
  }

  /** The last user closes it. */
  function acquireIndex(agent: AgentDefinition, tool: RetrievalTool): { index: SearchIndex; release(): Promise<void> } {
    if (isClosed) throw new QuarterdeckError('tool.unavailable', `tool "${tool.name}": the search index is closed`)
    const key = JSON.stringify([agent.name, agent.file, agent.embedding, tool])
    const taken = indexes.get(key) ?? { index: openIndex(agent, tool), users: 0 }
    indexes.set(key, taken)
    taken.users++
    let isHeld = true
    return {
      index: taken.index,
      async release() {
        if (!isHeld) return
        isHeld = false
        if (--taken.users > 0) return
        if (indexes.get(key) === taken) indexes.delete(key)
        await taken.index.close()
      },
    }
  }

  async function openSearch(agent: AgentDefinition, tool: RetrievalTool, signal: AbortSignal) {
    const { index, release } = acquireIndex(agent, tool)
    try {
      await index.bringUpToDate({ force: false, signal })
    } catch (error) {
      await release()
      if (signal.aborted || tool.onFailure === 'error') throw error
      deps.logger.warn({ agent: agent.name, tool: tool.name, error: String(error) }, 'search tool left out')
      return null
    }
    return { name: tool.name, hostTool: index.hostTool, search: index.search, close: release }
  }

  return {
    /** The embedder of this agent: its embedding_provider, or the local one. */
    embedderOf: (agent: AgentDefinition): Embedder =>
      embedders.of({ ...agent, embedding: agent.embedding ?? localEmbedding }),
    /**
     * Updates the index of the agent's tools and resolves with the tools that can be called. Throws `tool.unavailable`
     * with a remedy. A tool with `on_failure: warn` is reported and left out instead.
     */
    async open(agent: AgentDefinition, signal: AbortSignal): Promise<readonly DocumentSearch[]> {
      // A separate signal each: Node warns about many listeners on one signal.
      const own = () => AbortSignal.any([signal])
      const opened = await Promise.allSettled(retrievalTools(agent).map((tool) => openSearch(agent, tool, own())))
      const tools = opened.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []))
      const broken = opened.find((one) => one.status === 'rejected')
      if (broken === undefined) return tools
      await Promise.all(tools.map((tool) => tool.close()))
      throw broken.reason
    },
    /** The same with a report for each tool; `force` ingests everything again. */
    async ingest(
      agent: AgentDefinition,
      options: { force: boolean; signal: AbortSignal },
    ): Promise<readonly { readonly tool: string; readonly report: IngestionReport }[]> {
      const reports: { tool: string; report: IngestionReport }[] = []
      for (const tool of retrievalTools(agent)) {
        const { index, release } = acquireIndex(agent, tool)
        try {
          reports.push({ tool: tool.name, report: await index.bringUpToDate(options) })
        } finally {
          await release()
        }
      }
      return reports
    },
    /** Calls `listener` while documents are read. Returns a function that unsubscribes. */
    onProgress: progressing.listen,
    /** Cancels running work. Afterwards nothing can be opened or searched. */
    async close() {
      isClosed = true
      await Promise.all([...indexes.values()].map(({ index }) => index.close()))
      indexes.clear()
      await embedders.close()
    },
  }
}

const retrievalTools = (agent: AgentDefinition): RetrievalTool[] => agent.tools.filter(isRetrievalTool)

/** Skipped documents are reported once. */
function createIngestionReporter(logger: Logger) {
  const reported = new Set<string>()
  return (agent: AgentDefinition, tool: RetrievalTool, report: IngestionReport): void => {
    const facts = { agent: agent.name, tool: tool.name }
    for (const { path, reason } of report.skipped) {
      const key = JSON.stringify([agent.file, tool.name, path])
      if (!reported.has(key)) logger.warn({ ...facts, path, reason }, 'document left out')
      reported.add(key)
    }
    if (report.changed > 0 || report.removed > 0)
      logger.info({ ...facts, ...report, skipped: report.skipped.length }, 'documents ingested')
  }
}
