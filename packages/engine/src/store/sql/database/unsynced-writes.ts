// Text in progress is saved before it is shown, many times per second and session. A sync for each would block the
// whole server for milliseconds. Without it the text still survives a crash of the process, but not a power failure.
// The same applies to leases, which a power failure invalidates, and to replies, which a retry can do without.
import { type Kysely, sql } from 'kysely'
import type { StoreTables } from './tables.ts'

/** Runs one write that a power failure may undo. A later sync includes it, so the order is preserved. */
export type Unsynced = <Result>(write: (db: Kysely<StoreTables>) => Promise<Result>) => Promise<Result>

/** For SQLite with a write-ahead log. Nothing else uses the connection meanwhile. */
export const unsyncedOn =
  (db: Kysely<StoreTables>): Unsynced =>
  (write) =>
    db.connection().execute(async (connection) => {
      await sql`pragma synchronous = normal`.execute(connection)
      try {
        return await write(connection)
      } finally {
        await sql`pragma synchronous = full`.execute(connection)
      }
    })
