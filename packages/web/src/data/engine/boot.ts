// DuckDB in a worker of its own, from this server alone, and locked before anybody's SQL reaches it.

import { AsyncDuckDB, VoidLogger } from '@duckdb/duckdb-wasm'
import workerUrl from '@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url'
import wasmUrl from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'
import { EngineError, type EngineProgress } from '../domain/query-engine.ts'
import { fullCatalog } from '../sql/catalog-name.ts'
import { setupStatements } from './setup-statements.ts'

export interface Booted {
  readonly db: AsyncDuckDB
  /** The answer of the worker, or a rejection when it dies: what asked a dead worker would otherwise wait for ever. */
  alive<Answer>(answer: Promise<Answer>): Promise<Answer>
  /** Whatever waits is rejected with `reason`. */
  kill(reason: EngineError): void
  /** Resolves when it is dead, however that came. */
  readonly died: Promise<void>
}

const patienceMs = 180_000

export async function boot(onProgress: (progress: EngineProgress) => void): Promise<Booted> {
  const wasm = URL.createObjectURL(await moduleOf(onProgress))
  const worker = new Worker(workerUrl)
  let die: (reason: EngineError) => void = () => {}
  const death = new Promise<never>((_resolve, reject) => {
    die = reject
  })
  const died = death.catch(() => undefined) // whoever waits for an answer hears of it
  const alive = <Answer>(answer: Promise<Answer>): Promise<Answer> => Promise.race([answer, death])
  const kill = (reason: EngineError): void => {
    worker.terminate()
    die(reason)
  }
  worker.addEventListener('error', () => kill(new EngineError('dead', 'The database of this page stopped working.')))
  const db = new AsyncDuckDB(new VoidLogger(), worker)
  // A module that cannot be compiled is not told: DuckDB waits for it for ever.
  const patience = setTimeout(
    () => kill(new EngineError('dead', 'The database of this page did not start.')),
    patienceMs,
  )
  try {
    await alive(db.instantiate(wasm))
    await alive(db.open({ opfs: { fileHandling: 'manual' }, query: { queryPollingInterval: 50 } }))
    const connection = await alive(db.connect())
    for (const statement of setupStatements(fullCatalog)) await alive(connection.query(statement))
    await alive(connection.close())
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    kill(new EngineError('dead', why))
    throw error instanceof EngineError
      ? error
      : new EngineError('dead', `The database of this page did not start: ${why}`)
  } finally {
    clearTimeout(patience)
    URL.revokeObjectURL(wasm)
  }
  return { db, alive, kill, died }
}

let module: Promise<Blob> | null = null

/** Kept for the life of the page: a database that has to begin anew does so at once, and without a network. */
function moduleOf(onProgress: (progress: EngineProgress) => void): Promise<Blob> {
  module ??= load(wasmUrl, onProgress).catch((error: unknown) => {
    module = null
    throw error
  })
  return module
}

/**
 * Fetched here and not by the worker: the worker never needs a server, so its policy allows it none, and a load that
 * fails is heard of (DuckDB waits for it for ever).
 */
async function load(url: string, onProgress: (progress: EngineProgress) => void): Promise<Blob> {
  const response = await fetch(url).catch((cause: unknown) => {
    throw new EngineError('dead', `The database engine could not be loaded from this server: ${String(cause)}`)
  })
  if (!response.ok || response.body === null) {
    throw new EngineError('dead', `The database engine could not be loaded from this server: ${response.status}`)
  }
  // The length of a compressed answer is not that of what arrives here.
  const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length')
  const bytesTotal = length === null ? null : Number(length)
  const chunks: BlobPart[] = []
  const reader = response.body.getReader()
  let bytesLoaded = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    chunks.push(piece.value)
    bytesLoaded += piece.value.byteLength
    onProgress({ bytesLoaded, bytesTotal })
  }
  return new Blob(chunks, { type: 'application/wasm' })
}
