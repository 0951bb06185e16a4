import { type Kysely, type Migration, sql } from 'kysely'

/** What a key may do, for whom, how long and how often; and what was spent with it. */
export const keysWithTerms: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    // Keys of before could do everything. They go on working with what they have started, and no longer with the rest.
    await schema
      .alterTable('keys')
      .addColumn('scope', 'text', (column) => column.notNull().defaultTo('operator'))
      .execute()
    await schema
      .alterTable('keys')
      .addColumn('owner', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await sql`update keys set owner = name`.execute(db)
    await schema.alterTable('keys').addColumn('expires_at', 'text').execute()
    await schema.alterTable('keys').addColumn('requests_per_minute', 'integer').execute()
    await schema
      .alterTable('bookings')
      .addColumn('started_by', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    // Whoever started a session was its owner until now.
    await sql`update bookings set started_by = owner`.execute(db)
    await sql`insert into spending
      select ${sql.lit('key')}, subject, day, usd, units from spending where scope = ${sql.lit('user')}`.execute(db)
  },
}
