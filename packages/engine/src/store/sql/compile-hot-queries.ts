// The queries of every append and every replay, built and compiled once: a call only puts its own parameters in.
// A query built per insert reached less than half of the driver's speed.
import type { SessionId } from '@quarterdeck/protocol'
import type { CompiledQuery, Kysely } from 'kysely'
import type { EventRow } from '../event-row.ts'
import type { TextKind } from '../side-rows.ts'
import type { AuditRow, SessionRow, StoreTables } from './tables.ts'

/** The blanks only give the queries their shape; parameters follow in the order in which they appear here. */
const blankSession = '' as SessionId // never bound: each call replaces it
const blankEvent: EventRow = {
  ...{ session_id: blankSession, seq: 0, id: '', at: '', type: '', agent: '', turn_id: '', data: '', v: 0 },
}
const blankEntry: AuditRow = {
  ...{ seq: 0, at: '', principal: '', action: '', session_id: blankSession, event_seq: 0, event_hash: '' },
  ...{ subject: '', detail: '', prev_hash: '', hash: '' },
}
const eventColumns = Object.keys(blankEvent) as (keyof EventRow)[] // Object.keys loses the literal keys
const entryColumns = Object.keys(blankEntry) as (keyof AuditRow)[]

/** One query per number of rows stays compiled, so there must not be many. */
export const rowsPerInsert = 20

export function compileHotQueries(db: Kysely<StoreTables>) {
  const insertEvents = compiledByCount((count) =>
    db.insertInto('events').values(new Array(count).fill(blankEvent)).compile(),
  )
  const insertEntries = compiledByCount((count) =>
    db.insertInto('audit').values(new Array(count).fill(blankEntry)).compile(),
  )
  const compiled = compileOnce(db)
  return {
    /** At most `rowsPerInsert`. */
    insertEvents: (rows: readonly EventRow[]) =>
      withParameters(
        insertEvents(rows.length),
        rows.flatMap((row) => eventColumns.map((column) => row[column])),
      ),
    /** At most `rowsPerInsert`. */
    insertEntries: (rows: readonly AuditRow[]) =>
      withParameters(
        insertEntries(rows.length),
        rows.flatMap((row) => entryColumns.map((column) => row[column])),
      ),
    readHead: () => compiled.readHead,
    moveHead: (entries: number, hash: string) => withParameters(compiled.moveHead, [entries, hash, 1]),
    readFencing: (sessionId: SessionId) => withParameters(compiled.readFencing, [sessionId]),
    /** Changes no row when the session is not at `expectedSeq`. */
    updateSession: (row: SessionRow, expectedSeq: number) =>
      withParameters(compiled.updateSession, [row.seq, row.updated_at, row.state, row.session_id, expectedSeq]),
    readEvents: (sessionId: SessionId, afterSeq: number, limit: number) =>
      withParameters(compiled.readEvents, [sessionId, afterSeq, limit]),
    dropText: (sessionId: SessionId, messageId: string, kind: TextKind) =>
      withParameters(compiled.dropText, [sessionId, messageId, kind]),
  }
}

export type HotQueries = ReturnType<typeof compileHotQueries>

function compileOnce(db: Kysely<StoreTables>) {
  return {
    readHead: db.selectFrom('audit_head').select(['entries', 'hash']).where('id', '=', 1).compile(),
    moveHead: db.updateTable('audit_head').set({ entries: 0, hash: '' }).where('id', '=', 1).compile(),
    readFencing: db.selectFrom('leases').select('fencing').where('session_id', '=', blankSession).compile(),
    // Without the columns that are in an index: each of them would be taken out and put in again with every event.
    updateSession: db
      .updateTable('sessions')
      .set({ seq: 0, updated_at: '', state: '' })
      .where('session_id', '=', blankSession)
      .where('seq', '=', 0)
      .compile(),
    readEvents: db
      .selectFrom('events')
      .select(eventColumns)
      .where('session_id', '=', blankSession)
      .where('seq', '>', 0)
      .orderBy('seq')
      .limit(0)
      .compile(),
    dropText: db
      .deleteFrom('open_texts')
      .where('session_id', '=', blankSession)
      .where('message_id', '=', '')
      .where('kind', '=', 'text')
      .compile(),
  }
}

function compiledByCount(compile: (count: number) => CompiledQuery): (count: number) => CompiledQuery {
  const known = new Map<number, CompiledQuery>()
  return (count) => {
    const query = known.get(count) ?? compile(count)
    known.set(count, query)
    return query
  }
}

const withParameters = <Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> => ({
  ...query,
  parameters,
})
