// The worker side of `in-worker.ts`: answers one call after the other until the page terminates it.
import { messageOf } from '@quarterdeck/protocol'
import { ImportError } from '../source/import-error.ts'
import type { WasmName } from '../source/load-wasm.ts'
import { checkBytes } from './check-bytes.ts'
import { type DecodedTable, decodeBytes, planBytes } from './decode.ts'
import type { WorkerAnswer, WorkerCall, WorkerFailure } from './in-worker.ts'

// TypeScript's DOM library types this as a window, and its worker library conflicts with the DOM one.
const scope = globalThis as unknown as {
  onmessage: ((message: MessageEvent<WorkerCall>) => void) | null
  postMessage(answer: WorkerAnswer, transfer: Transferable[]): void
}

const waiting = new Map<WasmName, (wasm: ArrayBuffer) => void>()

scope.onmessage = ({ data }) => {
  if (data.work === 'wasm') return waiting.get(data.name)?.(data.bytes)
  run(data)
    .then((result) => scope.postMessage({ type: 'result', result }, buffersOf(result)))
    // A result that cannot be posted is reported as well, because the page does not see rejections in the worker.
    .catch((error: unknown) => scope.postMessage({ type: 'failure', failure: failureOf(error) }, []))
}

function run(call: Exclude<WorkerCall, { work: 'wasm' }>): Promise<unknown> {
  if (call.work === 'check') return checkBytes(call.given, loadWasm)
  return call.work === 'plan' ? planBytes(call.given, loadWasm) : decodeBytes(call.given, loadWasm)
}

const loaded = new Map<WasmName, Promise<ArrayBuffer>>()

/** Loaded by the page: a worker that reads untrusted files must not make requests. */
function loadWasm(name: WasmName): Promise<ArrayBuffer> {
  const wasm =
    loaded.get(name) ??
    new Promise<ArrayBuffer>((resolve) => {
      waiting.set(name, resolve)
      scope.postMessage({ type: 'wasm', name }, [])
    })
  loaded.set(name, wasm)
  return wasm
}

function failureOf(error: unknown): WorkerFailure {
  if (error instanceof ImportError) return { problem: error.problem, message: error.message }
  const message = messageOf(error)
  // Messages of JavaScript engines for too long arrays or strings and for lack of memory.
  const isMemory = /memory|invalid (array|string|typed array) length|allocation/i.test(message)
  return isMemory
    ? { problem: 'too-large', message: 'The file needs more memory than this page has. Save fewer columns or rows.' }
    : { problem: 'unreadable', message: `The file cannot be read: ${message}` }
}

/** Transferred, not copied. */
function buffersOf(result: unknown): Transferable[] {
  if (!Array.isArray(result)) return []
  // Returned by `decodeBytes`.
  const tables: readonly DecodedTable[] = result
  const buffers = tables.map((table) => (table.kind === 'csv' ? table.bytes : table.ipc)?.buffer)
  return [...new Set(buffers.filter((buffer) => buffer instanceof ArrayBuffer))]
}
