import { type Kysely, type Migration, SqliteAdapter, sql } from 'kysely'

/**
 * One log for streams of several kinds, with a position over all of them. Existing events become streams of the kind
 * `session`, with positions in the order in which they were written.
 */
export const streams: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
    await schema
      .createTable('stream_events')
      // Both never assign a position twice. In SQLite it is also the key of the row and needs no second index.
      .addColumn('position', isSqlite ? 'integer' : 'bigserial', (column) =>
        isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
      )
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('stream_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('agent', 'text')
      .addColumn('turn_id', 'text')
      .addColumn('data', 'text', (column) => column.notNull())
      .addColumn('v', 'integer', (column) => column.notNull())
      .execute()
    // Only SQLite has databases with earlier events. There, `rowid` is the order in which they were written.
    if (isSqlite) {
      await sql`insert into stream_events
        select rowid, 'session', session_id, seq, id, at, type, agent, turn_id, data, v from events order by rowid
      `.execute(db)
    }
    // After the copy, which is then faster. Not the kind first: a reader of one kind goes through the log by position.
    await schema
      .createIndex('stream_events_key')
      .unique()
      .on('stream_events')
      .columns(['stream_id', 'kind', 'seq'])
      .execute()
    await schema.dropTable('events').execute()
    await schema
      .createTable('log_floor')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .execute()
    await sql`insert into log_floor values (1, 0)`.execute(db)
  },
}
