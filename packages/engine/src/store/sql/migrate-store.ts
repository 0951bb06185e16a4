import { DEFAULT_MIGRATION_TABLE, type Kysely, type Migration, Migrator } from 'kysely'
import { storeUnreadable } from '../store-errors.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { retryBusy } from './retry-busy.ts'
import type { StoreTables } from './tables.ts'

/** In the order of their names. A migration that was released never changes. */
export const migrations: Readonly<Record<string, Migration>> = { '0001-first-tables': firstTables }

export async function migrateStore(db: Kysely<StoreTables>, file: string): Promise<void> {
  await refuseForeign(db, file)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  try {
    await retryBusy(async () => {
      const { error } = await migrator.migrateToLatest()
      if (error !== undefined) throw error
    })
  } catch (error) {
    throw storeUnreadable(`${file} could not be brought to this version: ${String(error)}. Nothing was changed`, error)
  }
}

async function refuseForeign(db: Kysely<StoreTables>, file: string): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (tables.length === 0) return
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) {
    throw storeUnreadable(`${file} is a database of another program. Choose another folder with --data`)
  }
  const executed = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  const unknown = executed.find(({ name }) => !(name in migrations))
  if (unknown !== undefined) {
    const detail = `${file} was written by a newer version of Quarterdeck (it has "${unknown.name}"). Update Quarterdeck, or choose another folder with --data`
    throw storeUnreadable(detail)
  }
}
