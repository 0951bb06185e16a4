import { type Kysely, type Migration, sql } from 'kysely'

/** Whether anybody was charged is a matter of the session: a provider may call a model of its own `simulator`. */
export const simulatedBookings: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('bookings')
      .addColumn('is_simulated', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    // Money outlives its session: of what was booked before, the name is all that is left for sure.
    await sql`update bookings set is_simulated = 1 where served_model = 'simulator'`.execute(db)
  },
}
