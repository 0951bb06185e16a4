import { type Kysely, type Migration, sql } from 'kysely'

/** The scope, owner, expiry and rate of a key, and the spending with it. */
export const keysWithTerms: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    // Existing keys could do everything. They keep access to the sessions they started, and lose access to the others.
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
    // So far, the user who started a session was its owner.
    await sql`update bookings set started_by = owner`.execute(db)
    await sql`insert into spending
      select ${sql.lit('key')}, subject, day, usd, units from spending where scope = ${sql.lit('user')}`.execute(db)
  },
}
