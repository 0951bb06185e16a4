import { type Kysely, type Migration, SqliteAdapter } from 'kysely'
import { runStatements } from './run-statements.ts'

/**
 * One log for streams of several kinds, with a position over all of them. Existing events become streams of the kind
 * `session`, with positions in the order in which they were written.
 */
export const streams: Migration = {
  async up(db: Kysely<unknown>) {
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
    await runStatements(db, [
      // Both never assign a position twice. In SQLite it is also the key of the row and needs no second index.
      `create table stream_events (
        position ${isSqlite ? 'integer primary key autoincrement' : 'bigserial primary key'},
        kind text not null, stream_id text not null, seq integer not null, id text not null, at text not null,
        type text not null, agent text, turn_id text, data text not null, v integer not null)`,
      // Only SQLite has databases with earlier events. There, `rowid` is the order in which they were written.
      ...(isSqlite ? [copyOfEvents] : []),
      // After the copy, which is then faster. Not the kind first: a reader of one kind goes through the log by position.
      'create unique index stream_events_key on stream_events (stream_id, kind, seq)',
      'drop table events',
      'create table log_floor (id integer primary key, position bigint not null)',
      'insert into log_floor values (1, 0)',
    ])
  },
}

const copyOfEvents = `insert into stream_events
  select rowid, 'session', session_id, seq, id, at, type, agent, turn_id, data, v from events order by rowid`
