import { mkdir } from 'node:fs/promises'
import { dataFolders } from './data-folders.ts'
import { createKeyRing, type KeyRing } from './keys/key-ring.ts'
import { randomIds } from './random-ids.ts'
import { createSqlStore } from './store/sql/create-sql-store.ts'

/** The keys of a data folder, whether a server runs on it or not. */
export async function openKeyRing(dataDir: string): Promise<KeyRing & { close(): Promise<void> }> {
  const { databaseFolder, database } = dataFolders(dataDir)
  await mkdir(databaseFolder, { recursive: true, mode: 0o700 })
  const parts = { clock: { now: () => new Date() }, ids: randomIds }
  const store = await createSqlStore({ file: database, ...parts })
  return { ...createKeyRing({ store, ...parts }), close: () => store.close() }
}
