// The queries of every append and every replay, built and compiled once: a call only puts its own parameters in.
// A query built per insert reached less than half of the driver's speed.
import type { SessionId } from '@quarterdeck/protocol'
import type { CompiledQuery, Kysely } from 'kysely'
import type { TextKind } from '../side-rows.ts'
import type { EventRow, SessionRow, StoreTables } from './tables.ts'

/** The blanks only give the queries their shape; parameters follow in the order in which they appear here. */
const blankSession = '' as SessionId // never bound: each call replaces it
const blankEvent: EventRow = {
  ...{ session_id: blankSession, seq: 0, id: '', at: '', type: '', agent: '', turn_id: '', data: '', v: 0 },
}
const eventColumns = Object.keys(blankEvent) as (keyof EventRow)[] // Object.keys loses the literal keys

/** One query per number of rows stays compiled, so there must not be many. */
export const eventsPerInsert = 20

export function compileHotQueries(db: Kysely<StoreTables>) {
  const insertsByCount = new Map<number, CompiledQuery>()
  const insertOf = (count: number): CompiledQuery => {
    const known = insertsByCount.get(count)
    if (known !== undefined) return known
    const compiled = db.insertInto('events').values(new Array(count).fill(blankEvent)).compile()
    insertsByCount.set(count, compiled)
    return compiled
  }
  const updateSession = db
    .updateTable('sessions')
    .set({ seq: 0, status: 'idle', updated_at: '', state: '' })
    .where('session_id', '=', blankSession)
    .where('seq', '=', 0)
    .compile()
  const readEvents = db
    .selectFrom('events')
    .select(eventColumns)
    .where('session_id', '=', blankSession)
    .where('seq', '>', 0)
    .orderBy('seq')
    .limit(0)
    .compile()
  const dropText = db
    .deleteFrom('open_texts')
    .where('session_id', '=', blankSession)
    .where('message_id', '=', '')
    .where('kind', '=', 'text')
    .compile()
  return {
    /** At most `eventsPerInsert`. */
    insertEvents: (rows: readonly EventRow[]) =>
      withParameters(
        insertOf(rows.length),
        rows.flatMap((row) => eventColumns.map((column) => row[column])),
      ),
    /** Changes no row when the session is not at `expectedSeq`. */
    updateSession: (row: SessionRow, expectedSeq: number) =>
      withParameters(updateSession, [row.seq, row.status, row.updated_at, row.state, row.session_id, expectedSeq]),
    readEvents: (sessionId: SessionId, afterSeq: number, limit: number) =>
      withParameters(readEvents, [sessionId, afterSeq, limit]),
    dropText: (sessionId: SessionId, messageId: string, kind: TextKind) =>
      withParameters(dropText, [sessionId, messageId, kind]),
  }
}

export type HotQueries = ReturnType<typeof compileHotQueries>

const withParameters = <Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> => ({
  ...query,
  parameters,
})
