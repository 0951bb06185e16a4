// The worker's side of `in-worker.ts`: one call after the other, one answer to each, and the page ends it.

import { ImportError } from '../source/import-error.ts'
import { checkBytes } from './check-bytes.ts'
import { type DecodedTable, decodeBytes, planBytes } from './decode.ts'
import type { WasmName, WorkerAnswer, WorkerCall, WorkerFailure } from './in-worker.ts'

// The library of types for pages calls this a window; a worker's own is at odds with it.
const scope = globalThis as unknown as {
  onmessage: ((message: MessageEvent<WorkerCall>) => void) | null
  postMessage(answer: WorkerAnswer, transfer: Transferable[]): void
}

const waiting = new Map<WasmName, (wasm: ArrayBuffer) => void>()

scope.onmessage = ({ data }) => {
  if (data.work === 'wasm') return waiting.get(data.name)?.(data.bytes)
  run(data)
    .then((result) => scope.postMessage({ type: 'result', result }, buffersOf(result)))
    // A result that cannot be sent is told too: the page hears of no rejection in here.
    .catch((error: unknown) => scope.postMessage({ type: 'failure', failure: failureOf(error) }, []))
}

function run(call: Exclude<WorkerCall, { work: 'wasm' }>): Promise<unknown> {
  if (call.work === 'check') return checkBytes(call.given, loadWasm)
  return call.work === 'plan' ? planBytes(call.given, loadWasm) : decodeBytes(call.given, loadWasm)
}

const loaded = new Map<WasmName, Promise<ArrayBuffer>>()

/** The page loads it: a worker that reads files of strangers may reach no server. */
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
  const message = error instanceof Error ? error.message : String(error)
  // What the engine says when an array or a string became too long, and when the memory is at its end.
  const isMemory = /memory|invalid (array|string|typed array) length|allocation/i.test(message)
  return isMemory
    ? { problem: 'too-large', message: 'The file needs more memory than this page has. Save fewer columns or rows.' }
    : { problem: 'unreadable', message: `The file cannot be read: ${message}` }
}

/** Handed over, not copied. */
function buffersOf(result: unknown): Transferable[] {
  if (!Array.isArray(result)) return []
  // `decodeBytes` gave it.
  const tables: readonly DecodedTable[] = result
  const buffers = tables.map((table) => (table.kind === 'csv' ? table.bytes : table.ipc)?.buffer)
  return [...new Set(buffers.filter((buffer) => buffer instanceof ArrayBuffer))]
}
