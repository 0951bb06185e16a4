import { createKeyRing, type KeyRing } from './keys/key-ring.ts'
import { randomIds } from './random-ids.ts'
import { openDataStore } from './store/sql/open-data-store.ts'

/** The keys of a data folder, whether a server runs on it or not. */
export async function openKeyRing(dataDir: string): Promise<KeyRing & { close(): Promise<void> }> {
  const parts = { clock: { now: () => new Date() }, ids: randomIds }
  const store = await openDataStore({ dataDir, ...parts })
  return { ...createKeyRing({ store, ...parts }), close: () => store.close() }
}
