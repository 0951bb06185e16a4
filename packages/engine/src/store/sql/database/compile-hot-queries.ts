// The queries of every append, every text part and every replay, built and compiled once: a call only binds its
// parameters. Building a query per insert reached less than half of the driver's speed.
import type { SessionId, SessionState } from '@quarterdeck/protocol'
import { type CompiledQuery, type Kysely, sql } from 'kysely'
import type { AuditHead, AuditRecord } from '../../../audit/audit-entry.ts'
import type { TextKind } from '../../ports/settled-texts.ts'
import type { StreamKey } from '../../ports/streams.ts'
import type { EventRow } from './event-row.ts'
import type { AuditRow, OpenTextRow, SessionListColumns, StoreTables } from './tables.ts'

/** The blanks only define the queries; parameters follow in the order in which they appear here. */
const blankSession = '' as SessionId // never bound: each call replaces it
const blankEvent: EventRow = {
  kind: '',
  stream_id: '',
  seq: 0,
  id: '',
  at: '',
  type: '',
  agent: '',
  turn_id: '',
  data: '',
  v: 0,
}
const blankEntry: AuditRow = {
  seq: 0,
  at: '',
  principal: '',
  action: '',
  session_id: blankSession,
  event_seq: 0,
  event_hash: '',
  subject: '',
  detail: '',
  prev_hash: '',
  hash: '',
}
const blankText: OpenTextRow = {
  session_id: blankSession,
  message_id: '',
  kind: 'text',
  opened_at: '',
  snapshot: '',
  writer: '',
  since: 0,
}
const blankListColumns: SessionListColumns = { status: 'idle', is_archived: 0, is_hibernated: 0, folded_title: '' }
const eventColumns = Object.keys(blankEvent) as (keyof EventRow)[] // Object.keys loses the literal keys

// Written out, and into one list: these run for every event and text part, and a loop over column names is several
// times slower.
function pushEvent(values: unknown[], row: EventRow): void {
  values.push(row.stream_id, row.seq, row.id, row.at, row.type, row.agent, row.turn_id, row.data, row.v)
}
function pushEntry(values: unknown[], entry: AuditRecord): void {
  values.push(entry.seq, entry.at, entry.principal, entry.action, entry.sessionId, entry.eventSeq, entry.eventHash)
  values.push(entry.subject, entry.detail, entry.prevHash, entry.hash)
}
function pushText(values: unknown[], row: OpenTextRow): void {
  values.push(row.session_id, row.message_id, row.kind, row.opened_at, row.snapshot, row.writer, row.since)
}
function valuesOf<Row>(rows: readonly Row[], push: (values: unknown[], row: Row) => void): readonly unknown[] {
  const values: unknown[] = []
  for (const row of rows) push(values, row)
  return values
}

/** One compiled query per number of rows, and for events per kind and number of rows: the numbers must be few. */
export const rowsPerInsert = 20

export function compileHotQueries(db: Kysely<StoreTables>) {
  // The kind is part of the query, because an append has only one and each bound value costs time.
  const insertEvents = memoize((kind: string) => {
    const row = { ...blankEvent, kind: sql.lit(kind) }
    return memoize((count: number) => db.insertInto('stream_events').values(new Array(count).fill(row)).compile())
  })
  const insertEntries = memoize((count: number) =>
    db.insertInto('audit').values(new Array(count).fill(blankEntry)).compile(),
  )
  const saveTexts = memoize((count: number) =>
    db
      .insertInto('open_texts')
      .values(new Array(count).fill(blankText))
      .onConflict((on) =>
        on
          .columns(['session_id', 'message_id', 'kind'])
          .doUpdateSet(({ ref }) => ({
            snapshot: ref('excluded.snapshot'),
            writer: ref('excluded.writer'),
            since: ref('excluded.since'),
          })),
      )
      .compile(),
  )
  const compiled = compileOnce(db)
  return {
    /** At most `rowsPerInsert`, all of one kind. */
    insertEvents: (kind: string, rows: readonly EventRow[]) =>
      withParameters(insertEvents(kind)(rows.length), valuesOf(rows, pushEvent)),
    /** At most `rowsPerInsert`. */
    insertEntries: (records: readonly AuditRecord[]) =>
      withParameters(insertEntries(records.length), valuesOf(records, pushEntry)),
    readHead: () => compiled.readHead,
    /** Changes no row if the chain does not end at `from`. */
    moveHead: (from: AuditHead, to: AuditHead) =>
      withParameters(compiled.moveHead, [to.entries, to.hash, 1, from.entries, from.hash]),
    readFencing: (sessionId: SessionId) => withParameters(compiled.readFencing, [sessionId]),
    /** Changes no row if the session is not at `expectedSeq`. */
    updateSession: (state: SessionState, expectedSeq: number) =>
      withParameters(compiled.updateSession, [
        ...[state.seq, state.updatedAt, JSON.stringify(state), state.sessionId, expectedSeq],
      ]),
    /** The indexed columns. */
    moveSession: (sessionId: SessionId, { status, is_archived, is_hibernated, folded_title }: SessionListColumns) =>
      withParameters(compiled.moveSession, [status, is_archived, is_hibernated, folded_title, sessionId]),
    readEvents: ({ kind, id }: StreamKey, afterSeq: number, limit: number) =>
      withParameters(compiled.readEvents, [kind, id, afterSeq, limit]),
    /** At most `rowsPerInsert`, and each text once. */
    saveTexts: (rows: readonly OpenTextRow[]) => withParameters(saveTexts(rows.length), valuesOf(rows, pushText)),
    addPieces: (writer: string, batch: number, pieces: string) =>
      withParameters(compiled.addPieces, [writer, batch, pieces]),
    dropText: (sessionId: SessionId, messageId: string, kind: TextKind) =>
      withParameters(compiled.dropText, [sessionId, messageId, kind]),
  }
}

export type HotQueries = ReturnType<typeof compileHotQueries>

function compileOnce(db: Kysely<StoreTables>) {
  return {
    readHead: db.selectFrom('audit_head').select(['entries', 'hash']).where('id', '=', 1).compile(),
    moveHead: db
      .updateTable('audit_head')
      .set({ entries: 0, hash: '' })
      .where('id', '=', 1)
      .where('entries', '=', 0)
      .where('hash', '=', '')
      .compile(),
    readFencing: db.selectFrom('leases').select('fencing').where('session_id', '=', blankSession).compile(),
    // Without indexed columns: each event would update every index.
    updateSession: db
      .updateTable('sessions')
      .set({ seq: 0, updated_at: '', state: '' })
      .where('session_id', '=', blankSession)
      .where('seq', '=', 0)
      .compile(),
    moveSession: db.updateTable('sessions').set(blankListColumns).where('session_id', '=', blankSession).compile(),
    readEvents: db
      .selectFrom('stream_events')
      .select(eventColumns)
      .where('kind', '=', '')
      .where('stream_id', '=', '')
      .where('seq', '>', 0)
      .orderBy('seq')
      .limit(0)
      .compile(),
    addPieces: db.insertInto('text_pieces').values({ writer: '', batch: 0, pieces: '' }).compile(),
    dropText: db
      .deleteFrom('open_texts')
      .where('session_id', '=', blankSession)
      .where('message_id', '=', '')
      .where('kind', '=', 'text')
      .compile(),
  }
}

/** Calls `make` once per key. */
function memoize<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new Map<Key, Made>()
  return (key) => {
    const made = known.get(key) ?? make(key)
    known.set(key, made)
    return made
  }
}

/** A compiled query with the parameters of one call, in the order of its placeholders. */
export const withParameters = <Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> => ({
  ...query,
  parameters,
})
