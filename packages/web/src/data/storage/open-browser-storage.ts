import { withTimeout } from '@quarterdeck/protocol'
import type { Analysis, SentEntry } from '../domain/analysis.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import {
  type BrowserStorage,
  type StorageChange,
  type StoredAnalyses,
  type StoredSteps,
  toStorageError,
} from './browser-storage.ts'
import { createStoredTables } from './create-stored-tables.ts'
import { openDatabaseRecords, storageName } from './database-records.ts'
import { createMemoryRecords, type RecordChange, type Records } from './records.ts'
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
    steps: keptSteps(records, (id, n) => broadcast({ what: 'step', id, n })),
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

function keptSteps(records: Records, changed: (id: string, n: number) => void): StoredSteps {
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

// Stores analyses. Sent entries are separate records: the log only grows and is not rewritten with every step.
/** No other code writes these stores. */
export function createStoredAnalyses(records: Records, changed: (id: string) => void): StoredAnalyses {
  /** The last stored entry of each log, as known to this tab, and the number of entries. */
  const written = new Map<string, { readonly count: number; readonly last: string | undefined }>()

  /** Writes all entries if the stored state is unknown: each has its position and does not change. */
  function newEntries({ id, ledger }: Analysis): readonly RecordChange[] {
    const { count, last } = written.get(id) ?? { count: 0, last: undefined }
    const isLonger = ledger.length >= count && ledger[count - 1]?.at === last
    const from = isLonger ? count : 0
    return ledger.slice(from).map((value, index) => ({ store: 'ledger', key: [id, from + index], value }))
  }

  const know = (id: string, ledger: readonly SentEntry[]): void =>
    void written.set(id, { count: ledger.length, last: ledger.at(-1)?.at })

  return {
    async list() {
      const summaries = (await records.all('summaries')) as readonly AnalysisSummary[]
      return [...summaries].sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1))
    },
    async load(id) {
      const found = (await records.get('analyses', id)) as Analysis | undefined
      if (found === undefined) return null
      const entries = (await records.under('ledger', id)) as readonly SentEntry[]
      // The format of an earlier version: all entries in one record.
      if (entries.length === 0) return found
      know(id, entries)
      return { ...found, ledger: entries }
    },
    async save(analysis, summary) {
      const { id, ledger } = analysis
      await records.write([
        { store: 'analyses', key: id, value: { ...analysis, ledger: [] } },
        { store: 'summaries', key: id, value: summary },
        ...newEntries(analysis),
      ])
      know(id, ledger)
      changed(id)
    },
    async remove(id) {
      await records.write([
        { store: 'analyses', removed: id },
        { store: 'summaries', removed: id },
        { store: 'steps', removedUnder: id },
        { store: 'ledger', removedUnder: id },
      ])
      written.delete(id)
      changed(id)
    },
  }
}
