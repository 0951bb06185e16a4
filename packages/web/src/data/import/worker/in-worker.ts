// Runs file reading in a worker, because it takes long and blocks. Terminating the worker cancels a call.
import { messageOf } from '@quarterdeck/protocol'
import parquetUrl from 'parquet-wasm/esm/parquet_wasm_bg.wasm?url'
import sqliteUrl from 'sql.js/dist/sql-wasm-browser.wasm?url'
import type { ImportCheck, ImportPlan } from '../../domain/import-plan.ts'
import { ImportError } from '../source/import-error.ts'
import type { WasmName } from '../source/load-wasm.ts'
import type { FileToCheck } from './check-bytes.ts'
import type { DecodedTable, FileToDecode, FileToPlan } from './decode.ts'

export type WorkerCall =
  | { readonly work: 'plan'; readonly given: FileToPlan }
  | { readonly work: 'check'; readonly given: FileToCheck }
  | { readonly work: 'decode'; readonly given: FileToDecode }
  | { readonly work: 'wasm'; readonly name: WasmName; readonly bytes: ArrayBuffer }

export type WorkerFailure = Pick<ImportError, 'problem' | 'message'>

export type WorkerAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'failure'; readonly failure: WorkerFailure }
  /** The worker cannot make requests and asks the page for the reader's WebAssembly module. */
  | { readonly type: 'wasm'; readonly name: WasmName }

interface Results {
  readonly plan: ImportPlan
  readonly check: ImportCheck
  readonly decode: readonly DecodedTable[]
}

type Work = Exclude<WorkerCall, { work: 'wasm' }>

/** The idle worker for the next call: a page reads one file at a time, first its plan and then its rows. */
let spare: Worker | null = null

/** Starts a worker early, so that the first file does not wait for it. */
export function warmWorker(): void {
  if (spare === null) wait(startWorker())
}

function wait(worker: Worker): void {
  worker.onerror = () => {
    // The next call starts another worker and reports its error.
    if (spare === worker) spare = null
    worker.terminate()
  }
  spare = worker
}

const startWorker = (): Worker => new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' })

function takeWorker(): Worker {
  const worker = spare ?? startWorker()
  spare = null
  return worker
}

/** Workers that read a large file or another format are terminated to free their memory. */
function giveBack(worker: Worker, call: Work, result: unknown): void {
  const plan = call.work === 'plan' ? (result as ImportPlan) : call.given.plan
  const isLight = plan.format === 'csv' && plan.sizeBytes < 100_000_000
  if (isLight && spare === null) wait(worker)
  else worker.terminate()
}

/** The bytes of the call are transferred: the caller cannot use them afterwards. */
export function inWorker<Call extends Work>(call: Call, signal?: AbortSignal): Promise<Results[Call['work']]> {
  return new Promise((resolve, reject) => {
    const cancelled = () => new ImportError('cancelled', 'Reading the file was cancelled.')
    if (signal?.aborted) return reject(cancelled())
    const worker = takeWorker()
    /** On every exit: later messages are ignored. */
    const finish = () => {
      Object.assign(worker, { onmessage: null, onerror: null })
      worker.removeEventListener('messageerror', onGarbled)
      signal?.removeEventListener('abort', onAbort)
    }
    const fail = (error: unknown) => {
      finish()
      worker.terminate()
      reject(error instanceof ImportError ? error : notRead(messageOf(error)))
    }
    const onAbort = () => fail(cancelled())
    const onGarbled = () => fail(notRead('the result could not be transferred'))
    signal?.addEventListener('abort', onAbort)
    worker.onerror = ({ message }) => fail(notRead(message || 'the file reader could not be loaded'))
    // Not every browser has a property for this event.
    worker.addEventListener('messageerror', onGarbled)
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      if (data.type === 'failure') return fail(new ImportError(data.failure.problem, data.failure.message))
      if (data.type === 'wasm') {
        const { name } = data
        loadWasm(name)
          .then((bytes) => post(worker, { work: 'wasm', name, bytes }))
          .catch(fail)
        return
      }
      finish()
      giveBack(worker, call, data.result)
      // The worker is part of the same build and returns the result of its call.
      resolve(data.result as Results[Call['work']])
    }
    try {
      post(worker, call)
    } catch (error) {
      fail(error)
    }
  })
}

const post = (worker: Worker, call: WorkerCall): void => worker.postMessage(call, buffersOf(call))

function buffersOf(call: WorkerCall): Transferable[] {
  if (call.work === 'wasm') return [call.bytes]
  const pieces = call.work === 'decode' ? [call.given.bytes] : call.given.pieces
  return pieces.map((piece) => piece.buffer)
}

const notRead = (why: string): ImportError => new ImportError('unreadable', `The file cannot be read: ${why}.`)

async function loadWasm(name: WasmName): Promise<ArrayBuffer> {
  try {
    const answer = await fetch(name === 'parquet' ? parquetUrl : sqliteUrl)
    if (answer.ok) return await answer.arrayBuffer()
  } catch {
    // Handled below like any other failed answer.
  }
  throw notRead('the reader for this format could not be loaded from this server')
}
