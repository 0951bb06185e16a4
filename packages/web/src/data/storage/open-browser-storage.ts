import { withTimeout } from '@quarterdeck/protocol'
import { type BrowserStorage, type StorageChange, type StoredSteps, toStorageError } from './browser-storage.ts'
import { createStoredAnalyses } from './create-stored-analyses.ts'
import { createStoredTables } from './create-stored-tables.ts'
import { openDatabaseRecords, storageName } from './database-records.ts'
import { createMemoryRecords, type Records } from './records.ts'
import { filesInRecords, openFiles, type StoredFiles } from './stored-files.ts'

const maxStepBytes = 5_000_000

/** Never rejects: without storage the page works in memory, and `isLasting` is false. */
export async function openBrowserStorage(): Promise<BrowserStorage> {
  const lasting = await inTime(openDatabaseRecords(storageName)).catch(() => null)
  const records = guarded(lasting ?? createMemoryRecords())
  const files = guardedFiles((lasting === null ? null : await openFiles(storageName)) ?? filesInRecords(records))
  const channel = lasting === null ? null : new BroadcastChannel(storageName)
  const broadcast = (change: StorageChange) => channel?.postMessage(change)
  const tables = createStoredTables({ records, files, alone, changed: () => broadcast({ what: 'tables' }) })
  // Cleanup that fails is retried on a later visit.
  await tables.sweep().catch(() => undefined)
  return {
    isLasting: lasting !== null,
    tables,
    analyses: createStoredAnalyses(records, (id) => broadcast({ what: 'analysis', id })),
    steps: createStoredSteps(records, (id, n) => broadcast({ what: 'step', id, n })),
    watch(listener) {
      const onMessage = ({ data }: MessageEvent<StorageChange>) => listener(data)
      channel?.addEventListener('message', onMessage)
      return () => channel?.removeEventListener('message', onMessage)
    },
    storage,
    persist,
    close() {
      channel?.close()
      records.close()
    },
  }
}

/** Some browsers never answer, so the wait is limited. */
const openingMs = 5000

async function inTime(opening: Promise<Records>): Promise<Records | null> {
  const first = await withTimeout(opening, openingMs)
  // A late connection would only block other tabs.
  if (first === null) opening.then((records) => records.close()).catch(() => undefined)
  return first
}

/** Pages without HTTPS or loopback have no Web Locks. */
const alone = <Result>(work: () => Promise<Result>): Promise<Result> =>
  guard(async () => (navigator.locks === undefined ? work() : navigator.locks.request(`${storageName}-files`, work)))

/** Wraps all browser errors as `StorageError`. */
async function guard<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toStorageError(error)
  }
}

const guarded = (records: Records): Records => ({
  get: (store, key) => guard(() => records.get(store, key)),
  all: (store) => guard(() => records.all(store)),
  under: (store, part) => guard(() => records.under(store, part)),
  keys: (store) => guard(() => records.keys(store)),
  write: (changes) => guard(() => records.write(changes)),
  close: () => records.close(),
})

const guardedFiles = (files: StoredFiles): StoredFiles => ({
  put: (fingerprint, bytes) => guard(() => files.put(fingerprint, bytes)),
  get: (fingerprint) => guard(() => files.get(fingerprint)),
  has: (fingerprint, sizeBytes) => guard(() => files.has(fingerprint, sizeBytes)),
  remove: (name) => guard(() => files.remove(name)),
  names: () => guard(() => files.names()),
})

function createStoredSteps(records: Records, changed: (id: string, n: number) => void): StoredSteps {
  return {
    async load(id, n) {
      const found = await records.get('steps', [id, n])
      return found instanceof Uint8Array ? found : null
    },
    async save(id, n, ipc) {
      const isKept = ipc !== null && ipc.byteLength <= maxStepBytes
      await records.write([
        isKept ? { store: 'steps', key: [id, n], value: ipc } : { store: 'steps', removed: [id, n] },
      ])
      changed(id, n)
      return isKept
    },
  }
}

async function storage(): ReturnType<BrowserStorage['storage']> {
  if (navigator.storage?.estimate === undefined) return null
  const [{ usage = 0, quota = 0 }, isPersistent] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ])
  return { usedBytes: usage, quotaBytes: quota, isPersistent }
}

const persist = async (): Promise<boolean> => (await navigator.storage?.persist?.()) ?? false
