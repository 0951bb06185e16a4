import { type Kysely, type Migration, sql } from 'kysely'

/** Whether anybody was charged depends on the session: a provider may call one of its own models `simulator`. */
export const simulatedBookings: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('bookings')
      .addColumn('is_simulated', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    // Bookings outlive their session: for older ones, the model name is the only reliable information.
    await sql`update bookings set is_simulated = 1 where served_model = 'simulator'`.execute(db)
  },
}
