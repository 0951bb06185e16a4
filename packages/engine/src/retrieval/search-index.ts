// The index of one search tool: its passages, kept up to date and shared by all sessions that have it open.
import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type AgentDefinition,
  isQuarterdeckError,
  messageOf,
  QuarterdeckError,
  type RetrievalTool,
  unlessAborted,
} from '@quarterdeck/protocol'
import { linkSignals } from '../async/link-signals.ts'
import type { HostTool } from '../ports/host-toolbox.ts'
import type { Logger } from '../ports/logger.ts'
import { dataFolders } from '../system/data-folders.ts'
import { searchToolName } from '../tool-names/host-tool-names.ts'
import type { Embedders } from './embedders/create-embedders.ts'
import { fingerprintOf, type IngestionProgress, type IngestionReport, ingest } from './ingest.ts'
import { planIngestion, settingsOf, usesVectors } from './retrieval-plan.ts'
import { type SearchDeps, searchPassages } from './search/search-passages.ts'
import { formatResults, type SearchResult, toResults } from './search/search-result.ts'
import { createSqlPassages } from './sql/create-sql-passages.ts'
import { waitForWriter } from './sql/open-passage-database.ts'

export interface SearchAnswer {
  /** Text for the model. */
  readonly text: string
  readonly results: readonly SearchResult[]
}

export type SearchIndex = ReturnType<typeof createSearchIndex>

export interface SearchIndexOptions {
  readonly agent: AgentDefinition
  readonly tool: RetrievalTool
  readonly dataDir: string
  readonly embedders: Embedders
  readonly logger: Logger
  readonly clock: { now(): Date }
  readonly onProgress: (progress: IngestionProgress) => void
  /** Called once per ingestion, however many callers wait for it. */
  readonly onReport: (report: IngestionReport) => void
  /** Whether an index of this process uses this file. */
  readonly isInUse: (file: string) => boolean
}

interface Refresh {
  /** Reads even documents that have not changed. */
  readonly force: boolean
}

/** A query, not a document: each of its words is searched. */
const longestQuery = 2000

export function createSearchIndex(options: SearchIndexOptions) {
  const { agent, tool, embedders, clock, onProgress } = options
  const plan = planIngestion(agent, tool, options.dataDir)
  let file: string | null = null
  let opened: Promise<SearchDeps> | null = null
  let running: (Refresh & { readonly work: Promise<IngestionReport> }) | null = null
  const pending = new Set<Promise<unknown>>()
  const closing = new AbortController()
  let closed: Promise<void> | null = null

  async function openStore(): Promise<SearchDeps> {
    const embedder = usesVectors(tool) ? embedders.of(agent) : null
    const path = databaseFile(options, fingerprintOf(plan, embedder))
    file = path
    return { store: await waitForWriter(() => createSqlPassages(path, clock), closing.signal), embedder }
  }

  async function open(): Promise<SearchDeps> {
    opened ??= openStore().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }

  /** No work starts on a closed index, and closing waits for started work. */
  async function tracked<Result>(work: () => Promise<Result>): Promise<Result> {
    closing.signal.throwIfAborted()
    const promise = work()
    pending.add(promise)
    try {
      return await promise
    } finally {
      pending.delete(promise)
    }
  }

  // Not cancelled with the first caller, because others wait for it too.
  async function run({ force }: Refresh): Promise<IngestionReport> {
    const report = await ingest(await open(), plan, { force, onProgress, signal: closing.signal })
    if (file !== null) removeSuperseded(file, options)
    options.onReport(report)
    return report
  }

  function refresh({ force }: Refresh): Promise<IngestionReport> {
    const before = running
    if (before !== null && (before.force || !force)) return before.work
    const work = tracked(async () => {
      await before?.work.catch(() => undefined)
      return run({ force })
    }).finally(() => {
      if (running === mine) running = null
    })
    const mine = { force, work }
    running = mine
    return work
  }

  async function find(query: string, topK: number | undefined, signal: AbortSignal): Promise<SearchAnswer> {
    const { store, embedder } = await open()
    if (!store.isComplete()) throw new Error('its documents are being read again: try later')
    const settings = { ...settingsOf(tool), ...(topK === undefined ? {} : { topK }) }
    const ranked = await searchPassages({ store, embedder }, query.slice(0, longestQuery), { settings, signal })
    const results = toResults(store, ranked)
    return { text: formatResults(tool.name, query, results), results }
  }

  async function end(): Promise<void> {
    closing.abort(new Error('its search index is closed'))
    await Promise.allSettled(pending)
    // An index that could not be opened has nothing to close.
    const last = await opened?.catch(() => null)
    last?.store.close()
  }

  return {
    hostTool: describe(tool),
    /** The passage database; `null` until it is opened. */
    file: () => file,
    async search(query: string, { topK }: { topK?: number | undefined }, signal: AbortSignal): Promise<SearchAnswer> {
      if (query.trim() === '') return { text: 'The query is blank: say what to look for.', results: [] }
      try {
        return await tracked(() => linkSignals([signal, closing.signal], (either) => find(query, topK, either)))
      } catch (error) {
        throw signal.aborted ? error : unavailable(tool, error)
      }
    },
    async bringUpToDate({ force, signal }: Refresh & { readonly signal: AbortSignal }) {
      signal.throwIfAborted()
      try {
        return await unlessAborted(refresh({ force }), signal)
      } catch (error) {
        throw signal.aborted ? error : unavailable(tool, error)
      }
    },
    /** Cancels running work first. */
    close() {
      closed ??= end()
      return closed
    },
  }
}

function unavailable({ name }: RetrievalTool, error: unknown): QuarterdeckError {
  const detail = messageOf(error)
  const code = isQuarterdeckError(error) && error.code === 'config.missing-credential' ? error.code : 'tool.unavailable'
  return new QuarterdeckError(code, `tool "${name}": ${detail}`, { facts: { tool: name }, cause: error })
}

/**
 * The name includes the source, so that two agents of the same name in one data folder do not delete each other's
 * index. It includes the settings, so that the old index can be searched while a new one is built.
 */
function databaseFile({ dataDir, agent, tool }: SearchIndexOptions, fingerprint: string): string {
  const sourceHash = createHash('sha256').update(`${agent.file}\n${tool.source}`).digest('hex').slice(0, 8)
  return join(dataFolders(dataDir).retrieval, agent.name, `${tool.name}-${sourceHash}-${fingerprint.slice(0, 12)}.db`)
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

/**
 * Deletes the database that the same tool used with earlier settings. Another process that still has it open can
 * continue to search it.
 */
function removeSuperseded(file: string, { isInUse, logger }: SearchIndexOptions): void {
  const folder = dirname(file)
  const prefix = basename(file).replace(/-[0-9a-f]{12}\.db$/, '')
  const others = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^(-[0-9a-f]{12})?\.db$/.test(name.slice(prefix.length)))
    .map((name) => join(folder, name))
    .filter((path) => path !== file && !isInUse(path))
  for (const path of others) {
    try {
      for (const part of ['', '-wal', '-shm']) rmSync(`${path}${part}`, { force: true })
    } catch (error) {
      logger.warn({ path, error: String(error) }, 'could not remove the passages of earlier settings')
    }
  }
}
