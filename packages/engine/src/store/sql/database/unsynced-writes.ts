// Text in progress is saved before it is shown, many times a second and session. A sync for each would stop the whole
// server for milliseconds at a time; without it the text still survives the death of the process, only not a power cut.
// The same goes for leases, which a power cut makes worthless, and for replies, which a retry can do without.
import { type Kysely, sql } from 'kysely'
import type { StoreTables } from './tables.ts'

/** Runs one write that a power cut may undo. What is synced after it is synced with it: the order is kept. */
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
