// Small records in key-value stores, changed atomically.

export const stores = ['tables', 'files', 'analyses', 'summaries', 'steps', 'ledger'] as const
export type StoreName = (typeof stores)[number]

/** Sorted by the parts of the key. */
export type RecordKey = string | readonly (string | number)[]

export type RecordChange =
  | { readonly store: StoreName; readonly key: RecordKey; readonly value: unknown }
  | { readonly store: StoreName; readonly removed: RecordKey }
  /** All records with this key prefix. */
  | { readonly store: StoreName; readonly removedUnder: string }

export interface Records {
  get(store: StoreName, key: RecordKey): Promise<unknown>
  /** In key order. */
  all(store: StoreName): Promise<readonly unknown[]>
  /** Records with this key prefix, in order of the next part. */
  under(store: StoreName, part: string): Promise<readonly unknown[]>
  keys(store: StoreName): Promise<readonly RecordKey[]>
  /** In one transaction: after a crash, all or none of the changes exist. */
  write(changes: readonly RecordChange[]): Promise<void>
  close(): void
}

/** Until the page closes. */
export function createMemoryRecords(): Records {
  const maps = new Map(stores.map((name) => [name, new Map<string, unknown>()]))
  const mapOf = (store: StoreName) => maps.get(store) ?? new Map<string, unknown>()
  const named = (key: RecordKey) => JSON.stringify(key)
  return {
    get: async (store, key) => mapOf(store).get(named(key)),
    all: async (store) => [...mapOf(store)].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value),
    under: async (store, part) =>
      [...mapOf(store)]
        .map(([key, value]) => ({ key: JSON.parse(key), value }))
        .filter(({ key }) => key[0] === part)
        .sort((one, other) => one.key[1] - other.key[1])
        .map(({ value }) => value),
    keys: async (store) => [...mapOf(store).keys()].map((key) => JSON.parse(key)),
    async write(changes) {
      for (const change of changes) {
        const map = mapOf(change.store)
        if ('key' in change) map.set(named(change.key), structuredClone(change.value))
        else if ('removed' in change) map.delete(named(change.removed))
        else for (const key of map.keys()) if (JSON.parse(key)[0] === change.removedUnder) map.delete(key)
      }
    },
    close: () => undefined,
  }
}
