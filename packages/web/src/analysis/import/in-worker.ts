// Reading files takes long and blocks: each call gets a worker, and ending the worker is how it is cancelled.
import parquetUrl from 'parquet-wasm/esm/parquet_wasm_bg.wasm?url'
import sqliteUrl from 'sql.js/dist/sql-wasm-browser.wasm?url'
import type { ImportPlan } from '../import-plan.ts'
import type { DecodedTable, FileToDecode, FileToPlan } from './decode.ts'
import { ImportError, type ImportProblem } from './import-error.ts'

export type WasmName = 'parquet' | 'sqlite'
export type LoadWasm = (name: WasmName) => Promise<ArrayBuffer>

export type WorkerCall =
  | { readonly work: 'plan'; readonly given: FileToPlan }
  | { readonly work: 'decode'; readonly given: FileToDecode }
  | { readonly work: 'wasm'; readonly name: WasmName; readonly bytes: ArrayBuffer }

export interface WorkerFailure {
  readonly problem: ImportProblem
  readonly message: string
}

export type WorkerAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'failure'; readonly failure: WorkerFailure }
  /** The worker may reach no server: it asks the page for what it needs to read such a file. */
  | { readonly type: 'wasm'; readonly name: WasmName }

interface Results {
  readonly plan: ImportPlan
  readonly decode: readonly DecodedTable[]
}

type Work = Exclude<WorkerCall, { work: 'wasm' }>

export function inWorker<Call extends Work>(call: Call, signal?: AbortSignal): Promise<Results[Call['work']]> {
  return new Promise((resolve, reject) => {
    const cancelled = () => new ImportError('cancelled', 'Reading the file was cancelled.')
    if (signal?.aborted) return reject(cancelled())
    const worker = new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' })
    const fail = (error: ImportError) => {
      worker.terminate()
      signal?.removeEventListener('abort', onAbort)
      reject(error)
    }
    const onAbort = () => fail(cancelled())
    signal?.addEventListener('abort', onAbort)
    worker.onerror = ({ message }) => fail(notRead(message || 'what reads it could not be loaded'))
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      if (data.type === 'failure') return fail(new ImportError(data.failure.problem, data.failure.message))
      if (data.type === 'wasm') {
        loadWasm(data.name).then((bytes) => post(worker, { work: 'wasm', name: data.name, bytes }), fail)
        return
      }
      worker.terminate()
      signal?.removeEventListener('abort', onAbort)
      // Our own worker, in the same build: it answers what it was asked.
      resolve(data.result as Results[Call['work']])
    }
    post(worker, call)
  })
}

const post = (worker: Worker, call: WorkerCall): void => worker.postMessage(call)

const notRead = (why: string): ImportError => new ImportError('unreadable', `The file cannot be read: ${why}.`)

async function loadWasm(name: WasmName): Promise<ArrayBuffer> {
  try {
    const answer = await fetch(name === 'parquet' ? parquetUrl : sqliteUrl)
    if (answer.ok) return await answer.arrayBuffer()
  } catch {
    // Told below, as any other answer that is not it.
  }
  throw notRead('what reads such files could not be loaded from this server')
}
