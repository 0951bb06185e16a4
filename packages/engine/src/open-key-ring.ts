import { createKeyRing, type KeyRing } from './access/key-ring.ts'
import { openDataStore } from './store/sql/open-data-store.ts'
import { randomIds } from './system/random-ids.ts'

/** Opens the keys of a data folder, whether a server runs on it or not. */
export async function openKeyRing(dataDir: string): Promise<KeyRing & { close(): Promise<void> }> {
  const ports = { clock: { now: () => new Date() }, ids: randomIds }
  const store = await openDataStore({ dataDir, ...ports })
  return { ...createKeyRing({ store, ...ports }).keys, close: () => store.close() }
}
