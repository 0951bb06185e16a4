import { isQuarterdeckError, QuarterdeckError } from '@quarterdeck/protocol'
import { CompiledQuery, DEFAULT_MIGRATION_TABLE, type Kysely, type Migration, Migrator } from 'kysely'
import { isHolderAlive } from '../../../system/holder-identity.ts'
import { storeUnreadable } from '../../ports/store-errors.ts'
import type { StoreTables } from '../database/tables.ts'
import { waitForLock } from '../database/wait-for-lock.ts'
import { firstTables } from './0001-first-tables.ts'
import { storeChecks } from './0002-store-checks.ts'
import { sessionsThatLoseNothing } from './0003-sessions-that-lose-nothing.ts'
import { textInPieces } from './0004-text-in-pieces.ts'
import { simulatedBookings } from './0005-simulated-bookings.ts'
import { keysWithTerms } from './0006-keys-with-terms.ts'
import { keysAndSessionsInTheChain } from './0007-keys-and-sessions-in-the-chain.ts'
import { trustedTools } from './0008-trusted-tools.ts'
import { streams } from './0009-streams.ts'

/** In the order of their names. A released migration never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first-tables': firstTables,
  '0002-store-checks': storeChecks,
  '0003-sessions-that-lose-nothing': sessionsThatLoseNothing,
  '0004-text-in-pieces': textInPieces,
  '0005-simulated-bookings': simulatedBookings,
  '0006-keys-with-terms': keysWithTerms,
  '0007-keys-and-sessions-in-the-chain': keysAndSessionsInTheChain,
  '0008-trusted-tools': trustedTools,
  '0009-streams': streams,
}

/**
 * Migrates a file to this version, or refuses one that it cannot read and leaves it unchanged. Runs in one transaction
 * with the write lock from the start: if several processes open a new file together, the others find it done. (The
 * migrator's own transaction begins after its first writes, which is too late.)
 */
export async function migrateStore(db: Kysely<StoreTables>, file: string): Promise<void> {
  await db.connection().execute(async (connection) => {
    await waitForLock(() => connection.executeQuery(CompiledQuery.raw('begin immediate')))
    try {
      const executed = await refuseForeign(connection, file)
      if (executed.length > 0 && executed.length < Object.keys(migrations).length) await refuseHeld(connection, file)
      await migrate(connection, file)
      await connection.executeQuery(CompiledQuery.raw('commit'))
    } catch (error) {
      await rollBack(connection)
      throw error
    }
  })
}

async function rollBack(connection: Kysely<StoreTables>): Promise<void> {
  try {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  } catch {
    // A full disk makes SQLite roll back by itself: the caller needs the reason for that.
  }
}

async function migrate(connection: Kysely<StoreTables>, file: string): Promise<void> {
  const provider = { getMigrations: async () => ({ ...migrations }) }
  const { error } = await new Migrator({ db: connection, provider, disableTransactions: true }).migrateToLatest()
  if (error === undefined) return
  if (isQuarterdeckError(error)) throw error
  throw storeUnreadable(`${file} could not be migrated to this version: ${String(error)}. Nothing was changed`, error)
}

/** A running process of an earlier version could not use the migrated tables: its writes would fail. */
async function refuseHeld(connection: Kysely<StoreTables>, file: string): Promise<void> {
  const holders = await connection.selectFrom('holders').selectAll().execute()
  const alive = holders.find(({ pid, start_time: startTime }) => isHolderAlive({ pid, startTime }))
  if (alive === undefined) return
  const { role, pid, address } = alive
  const where = address === null ? '' : ` at ${address}`
  const detail = `${file} was written by an earlier version of Quarterdeck, and a ${role} of that version is running (process ${pid}${where}). Stop it, then try again: the file is then migrated, and the earlier version can no longer open it`
  throw new QuarterdeckError('store.held', detail, { facts: { pid, address } })
}

/** Returns the names of the migrations that the file has. */
async function refuseForeign(connection: Kysely<StoreTables>, file: string): Promise<readonly string[]> {
  const tables = await connection.introspection.getTables({ withInternalKyselyTables: true })
  if (tables.length === 0) return []
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) {
    throw storeUnreadable(`${file} is a database of another program. Choose another folder with --data`)
  }
  const executed = await connection
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  const unknown = executed.find(({ name }) => !(name in migrations))
  if (unknown !== undefined) {
    const detail = `${file} was written by a newer version of Quarterdeck (it has "${unknown.name}"). Update Quarterdeck, or choose another folder with --data`
    throw storeUnreadable(detail)
  }
  return executed.map(({ name }) => name)
}
