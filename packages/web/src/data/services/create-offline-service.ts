// Preloads the parts of Data after the database has started, so that importing, profiling, querying, drawing and
// exporting work offline. The browser caches these files forever: their names contain a hash.
import { createStore, type Store } from '../../stores/primitives/store.ts'
import { whenIdle } from '../../stores/primitives/when-idle.ts'
import type { EngineState } from '../domain/data-services.ts'

export interface OfflineServiceOptions {
  readonly fetch: typeof fetch
  readonly engine: Store<EngineState>
}

/** Written by the build. */
const partsPath = '/parts.json'

export function createOfflineService({ fetch, engine }: OfflineServiceOptions) {
  const isReady = createStore(false)
  const closed = new AbortController()
  const { signal } = closed

  async function load(): Promise<void> {
    for (const path of await partsOf(await fetch(partsPath, { signal }))) {
      if (signal.aborted) return
      await (isForPage(path) ? preload(path) : take(path))
    }
    isReady.set(true)
  }

  async function take(path: string): Promise<void> {
    const answer = await fetch(path, { signal, priority: 'low' })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    // The browser caches only complete responses.
    await answer.arrayBuffer()
  }

  function prepare(): void {
    // Retry when the network is back.
    load().catch(() => addEventListener('online', prepare, { once: true, signal }))
  }

  const leave = engine.subscribe(() => {
    if (engine.getSnapshot().status !== 'ready') return
    leave()
    whenIdle(prepare)
  })
  signal.addEventListener('abort', leave)
  return { isReady, close: () => closed.abort() }
}

/** Modules and styles; workers and their files are fetched as they are. */
const isForPage = (path: string): boolean => /\.(js|css)$/.test(path) && !path.includes('.worker-')

/** Chromium reuses a cached file for `import()` only if it was requested in the same way. */
function preload(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link')
    const asked = path.endsWith('.css') ? { rel: 'preload', as: 'style' } : { rel: 'modulepreload' }
    Object.assign(link, { ...asked, href: path, crossOrigin: '', onload: () => resolve() })
    link.onerror = () => {
      link.remove()
      reject(new Error(`${path} could not be loaded`))
    }
    document.head.append(link)
  })
}

async function partsOf(answer: Response): Promise<readonly string[]> {
  const parts: unknown = answer.ok ? await answer.json() : null
  if (!Array.isArray(parts)) throw new Error('the build has no part list')
  return parts.filter((part) => typeof part === 'string')
}
