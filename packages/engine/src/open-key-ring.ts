import { createKeyRing, type KeyRing } from './access/key-ring.ts'
import { randomIds } from './ports/ids.ts'
import { openDataStore } from './store/sql/open-data-store.ts'

/** Opens the keys of a data folder, whether a server runs on it or not. */
export async function openKeyRing(dataDir: string): Promise<KeyRing & { close(): Promise<void> }> {
  const ports = { clock: { now: () => new Date() }, ids: randomIds }
  const store = await openDataStore({ dataDir, ...ports })
  return { ...createKeyRing({ store, ...ports }), close: () => store.close() }
}
