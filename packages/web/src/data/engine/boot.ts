// Starts DuckDB in a worker, loaded only from this server, and locks its configuration before any SQL runs.
import { AsyncDuckDB, VoidLogger } from '@duckdb/duckdb-wasm'
import workerUrl from '@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url'
import wasmUrl from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'
import { messageOf } from '@quarterdeck/protocol'
import { EngineError, type EngineProgress } from '../domain/query-engine.ts'
import { fullCatalog } from '../sql/reserved-names.ts'
import { setupStatements } from './setup-statements.ts'

export type Booted = Awaited<ReturnType<typeof boot>>

const patienceMs = 180_000

export async function boot(onProgress: (progress: EngineProgress) => void) {
  const wasm = URL.createObjectURL(await moduleOf(onProgress))
  const worker = new Worker(workerUrl)
  let die: (reason: EngineError) => void = () => {}
  const death = new Promise<never>((_resolve, reject) => {
    die = reject
  })
  /** Resolves when the worker is dead for any reason. */
  const died = death.catch(() => undefined) // callers of `alive` get the error
  /** Resolves with the worker's answer, or rejects when the worker dies. Without this, callers would wait forever. */
  const alive = <Answer>(answer: Promise<Answer>): Promise<Answer> => Promise.race([answer, death])
  /** Rejects all pending calls with `reason`. */
  const kill = (reason: EngineError): void => {
    worker.terminate()
    die(reason)
  }
  worker.addEventListener('error', () => kill(new EngineError('dead', 'The database of this page crashed.')))
  const db = new AsyncDuckDB(new VoidLogger(), worker)
  // DuckDB does not report a module that fails to compile and waits forever.
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
    const why = messageOf(error)
    kill(new EngineError('dead', why))
    if (error instanceof EngineError) throw error
    throw new EngineError('dead', `The database of this page did not start: ${why}`)
  } finally {
    clearTimeout(patience)
    URL.revokeObjectURL(wasm)
  }
  return { db, alive, kill, died }
}

let module: Promise<Blob> | null = null

/** Cached for the life of the page, so that a restart is fast and works offline. */
function moduleOf(onProgress: (progress: EngineProgress) => void): Promise<Blob> {
  module ??= load(wasmUrl, onProgress).catch((error: unknown) => {
    module = null
    throw error
  })
  return module
}

/** Fetched by the page: the worker's policy allows no requests, and DuckDB never reports a failed load. */
async function load(url: string, onProgress: (progress: EngineProgress) => void): Promise<Blob> {
  const response = await fetch(url).catch((cause: unknown) => {
    throw new EngineError('dead', `The database engine could not be loaded from this server: ${String(cause)}`)
  })
  if (!response.ok || response.body === null) {
    throw new EngineError('dead', `The database engine could not be loaded from this server: ${response.status}`)
  }
  // The length of a compressed answer is not the length of the decoded bytes.
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
