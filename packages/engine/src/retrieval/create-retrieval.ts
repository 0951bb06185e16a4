// The search tools of agents: ingested once for each process and shared by all sessions.
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import {
  type AgentDefinition,
  type EmbeddingSettings,
  isQuarterdeckError,
  QuarterdeckError,
  type RetrievalTool,
} from '@quarterdeck/protocol'
import type { HostTool } from '../backends/backend.ts'
import { dataFolders } from '../data-folders.ts'
import { searchToolName } from '../host-tool.ts'
import type { EmbeddingAccess } from '../model-gateway.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createEmbedders, type Embedders } from './embedders/create-embedders.ts'
import type { Embedder } from './embedders/embedder.ts'
import { type IngestionProgress, type IngestionReport, ingest } from './ingest.ts'
import type { PassageStore } from './passage-store.ts'
import { planIngestion, settingsOf, usesVectors } from './retrieval-plan.ts'
import { searchPassages } from './search/search-passages.ts'
import { formatResults, type SearchResult, toResults } from './search-result.ts'
import { createSqlPassages } from './sql/create-sql-passages.ts'

export interface RetrievalDeps {
  readonly dataDir: string
  /** Never asked for the local embedder. */
  readonly embeddings: (agent: AgentDefinition) => Promise<EmbeddingAccess>
  readonly logger: Logger
  readonly clock: { now(): Date }
}

export interface ToolProgress extends IngestionProgress {
  readonly agent: string
  readonly tool: string
}

export interface SearchAnswer {
  /** For the model. */
  readonly text: string
  readonly results: readonly SearchResult[]
}

export interface SearchTool {
  /** As the agent file calls it. */
  readonly name: string
  readonly hostTool: HostTool
  /** Throws `tool.unavailable`. */
  search(query: string, options: { topK?: number | undefined }, signal: AbortSignal): Promise<SearchAnswer>
}

export interface Retrieval {
  /**
   * Brings what the agent's tools search up to date and resolves with those that can be called. Throws
   * `tool.unavailable` with what to do about it; a tool that says `on_failure: warn` is told of and left out.
   */
  open(agent: AgentDefinition, signal: AbortSignal): Promise<readonly SearchTool[]>
  /** The same with a report for each tool; `force` makes everything again. */
  ingest(
    agent: AgentDefinition,
    options: { force: boolean; signal: AbortSignal },
  ): Promise<readonly { readonly tool: string; readonly report: IngestionReport }[]>
  /** What turns texts into vectors for this agent; without an embedding_provider of its own, the local one. */
  embedderOf(agent: AgentDefinition): Embedder
  /** Calls back while documents are read; returns how to stop that. */
  onProgress(listener: (progress: ToolProgress) => void): () => void
  close(): Promise<void>
}

const localEmbedding: EmbeddingSettings = {
  ...{ provider: 'local', model: 'local', endpoint: null, apiVersion: null, dimensions: null },
}

export function createRetrieval(deps: RetrievalDeps): Retrieval {
  const embedders = createEmbedders(deps)
  const shelves = new Map<string, Shelf>()
  const listeners = new Set<(progress: ToolProgress) => void>()
  const onProgress = (progress: ToolProgress) => {
    for (const listener of listeners) listener(progress)
  }

  function shelfOf(agent: AgentDefinition, tool: RetrievalTool): Shelf {
    const key = JSON.stringify([agent.name, agent.file, agent.embedding, tool])
    const shelf = shelves.get(key) ?? createShelf(deps, { agent, tool, embedders, onProgress })
    shelves.set(key, shelf)
    return shelf
  }

  return {
    embedderOf: (agent) => embedders.of({ ...agent, embedding: agent.embedding ?? localEmbedding }),
    async open(agent, signal) {
      const opened = await Promise.all(
        retrievalTools(agent).map(async (tool) => {
          const shelf = shelfOf(agent, tool)
          try {
            await shelf.bringUpToDate({ force: false, signal })
            return shelf.searchTool
          } catch (error) {
            if (signal.aborted || tool.onFailure === 'error') throw error
            deps.logger.warn({ agent: agent.name, tool: tool.name, error: String(error) }, 'search tool left out')
            return null
          }
        }),
      )
      return opened.filter((tool) => tool !== null)
    },
    async ingest(agent, options) {
      const reports: { tool: string; report: IngestionReport }[] = []
      for (const tool of retrievalTools(agent)) {
        reports.push({ tool: tool.name, report: await shelfOf(agent, tool).bringUpToDate(options) })
      }
      return reports
    },
    onProgress(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      for (const shelf of shelves.values()) shelf.close()
      shelves.clear()
      await embedders.close()
    },
  }
}

const retrievalTools = (agent: AgentDefinition): RetrievalTool[] =>
  agent.tools.filter((tool) => tool.type === 'vectorstore' || tool.type === 'hierarchical_document')

/** A question, not a document: each of its words is looked for. */
const longestQuery = 2000

interface Shelf {
  readonly searchTool: SearchTool
  bringUpToDate(options: { force: boolean; signal: AbortSignal }): Promise<IngestionReport>
  close(): void
}

interface ShelfOptions {
  readonly agent: AgentDefinition
  readonly tool: RetrievalTool
  readonly embedders: Embedders
  readonly onProgress: (progress: ToolProgress) => void
}

function createShelf(deps: RetrievalDeps, { agent, tool, embedders, onProgress: tell }: ShelfOptions): Shelf {
  const facts = { agent: agent.name, tool: tool.name }
  let opened: { store: PassageStore; embedder: Embedder | null } | null = null
  let running: Promise<IngestionReport> | null = null
  const closing = new AbortController()
  /** Documents that were left out are told of once. */
  const told = new Set<string>()

  function open() {
    opened ??= {
      store: createSqlPassages(databaseFile(deps.dataDir, agent, tool), deps.clock),
      embedder: usesVectors(tool) ? embedders.of(agent) : null,
    }
    return opened
  }

  // Not ended by whoever asked first: others wait for it too.
  async function run(force: boolean): Promise<IngestionReport> {
    const onProgress = (progress: IngestionProgress) => tell({ ...facts, ...progress })
    const report = await ingest(open(), planIngestion(agent, tool), {
      ...{ force, onProgress },
      signal: closing.signal,
    })
    for (const { path, reason } of report.skipped) {
      if (!told.has(path)) deps.logger.warn({ ...facts, path, reason }, 'document left out')
      told.add(path)
    }
    if (report.changed > 0 || report.removed > 0)
      deps.logger.info({ ...facts, ...report, skipped: report.skipped.length }, 'documents ingested')
    return report
  }

  return {
    searchTool: {
      name: tool.name,
      hostTool: describe(tool),
      async search(query, { topK }, signal) {
        if (query.trim() === '') return { text: 'The query is blank: say what to look for.', results: [] }
        const { store, embedder } = open()
        const settings = { ...settingsOf(tool), ...(topK === undefined ? {} : { topK }) }
        try {
          const ranked = await searchPassages({ store, embedder }, query.slice(0, longestQuery), { settings, signal })
          const results = toResults(store, ranked)
          return { text: formatResults(tool.name, query, results), results }
        } catch (error) {
          throw signal.aborted ? error : unavailable(tool, error)
        }
      },
    },
    async bringUpToDate({ force, signal }) {
      running ??= run(force).finally(() => {
        running = null
      })
      try {
        return await unlessAborted(running, signal)
      } catch (error) {
        throw signal.aborted ? error : unavailable(tool, error)
      }
    },
    close() {
      closing.abort()
      opened?.store.close()
      opened = null
    },
  }
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    stop = () => signal.removeEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stop()
  }
}

function unavailable({ name }: RetrievalTool, error: unknown): QuarterdeckError {
  const detail = isQuarterdeckError(error) ? error.message : String(error instanceof Error ? error.message : error)
  const code = isQuarterdeckError(error) && error.code === 'config.missing-credential' ? error.code : 'tool.unavailable'
  return new QuarterdeckError(code, `tool "${name}": ${detail}`, { facts: { tool: name }, cause: error })
}

/** By its source too: two agents of one name in one data folder do not take turns at throwing the other's out. */
function databaseFile(dataDir: string, agent: AgentDefinition, tool: RetrievalTool): string {
  const place = createHash('sha256').update(`${agent.file}\n${tool.source}`).digest('hex').slice(0, 8)
  return join(dataFolders(dataDir).retrieval, agent.name, `${tool.name}-${place}.db`)
}

const describe = (tool: RetrievalTool): HostTool => ({
  name: searchToolName(tool.name),
  description: tool.description === '' ? `Search ${basename(tool.source)}.` : tool.description,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for, in words; identifiers exactly as they are written.' },
      top_k: { type: 'integer', minimum: 1, maximum: 100, description: `How many passages, ${tool.topK} unless said.` },
    },
    required: ['query'],
    additionalProperties: false,
  },
})
