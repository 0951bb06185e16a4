// Records in IndexedDB.
import { type RecordChange, type RecordKey, type Records, type StoreName, stores } from './records.ts'

const version = 2

/** Rejects if the browser has no IndexedDB for this page. */
export async function openDatabaseRecords(name: string): Promise<Records> {
  const database = await openDatabase(name)
  // A tab with a newer version wants to upgrade the database: close this connection.
  database.onversionchange = () => database.close()
  const read = <Result>(store: StoreName, ask: (from: IDBObjectStore) => IDBRequest<Result>): Promise<Result> =>
    answerOf(ask(database.transaction(store, 'readonly').objectStore(store)))
  return {
    get: (store, key) => read(store, (from) => from.get(toKey(key))),
    all: (store) => read(store, (from) => from.getAll()),
    under: (store, part) => read(store, (from) => from.getAll(under(part))),
    // Only keys of these two kinds were ever stored.
    keys: (store) => read(store, (from) => from.getAllKeys() as IDBRequest<(string | (string | number)[])[]>),
    write: (changes) => write(database, changes),
    close: () => database.close(),
  }
}

const toKey = (key: RecordKey): IDBValidKey => (typeof key === 'string' ? key : [...key])

/** An array sorts after every text and number, so this is the end of all keys with this prefix. */
const under = (part: string): IDBKeyRange => IDBKeyRange.bound([part], [part, []])

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, version)
    let isGivenUp = false
    opening.onupgradeneeded = () => {
      for (const store of stores) {
        if (!opening.result.objectStoreNames.contains(store)) opening.result.createObjectStore(store)
      }
    }
    opening.onsuccess = () => {
      // The caller gave up: an open connection would only block other tabs.
      if (isGivenUp) opening.result.close()
      else resolve(opening.result)
    }
    opening.onerror = () => reject(opening.error)
    opening.onblocked = () => {
      isGivenUp = true
      reject(new Error('another tab uses an older version of this storage'))
    }
  })
}

const answerOf = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

function write(database: IDBDatabase, changes: readonly RecordChange[]): Promise<void> {
  if (changes.length === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    // Flushed to disk before it counts as stored.
    const names = [...new Set(changes.map(({ store }) => store))]
    const transaction = database.transaction(names, 'readwrite', { durability: 'strict' })
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
    for (const change of changes) {
      const store = transaction.objectStore(change.store)
      if ('key' in change) store.put(change.value, toKey(change.key))
      else if ('removed' in change) store.delete(toKey(change.removed))
      else store.delete(under(change.removedUnder))
    }
  })
}

/** The IndexedDB database, the folder of files and the broadcast channel of Data have this name. */
export const storageName = 'quarterdeck-data'
