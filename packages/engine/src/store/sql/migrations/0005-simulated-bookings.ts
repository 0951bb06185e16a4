import type { Migration } from 'kysely'
import { runStatements } from './run-statements.ts'

/** Whether anybody was charged depends on the session: a provider may call one of its own models `simulator`. */
export const simulatedBookings: Migration = {
  up: (db) =>
    runStatements(db, [
      'alter table bookings add column is_simulated integer default 0 not null',
      // Bookings outlive their session: for older ones, the model name is the only reliable information.
      `update bookings set is_simulated = 1 where served_model = 'simulator'`,
    ]),
}
