// Text in progress, saved for each piece of it that is shown. With many sessions at once these are most of all writes:
// those that wait together become one statement.
import { AgentStreamSnapshot } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import type { Clock, EventStore } from '../event-store.ts'
import { type HotQueries, rowsPerInsert } from './compile-hot-queries.ts'
import type { Commit } from './group-commit.ts'
import type { OpenTextRow, StoreTables } from './tables.ts'

type OpenTexts = Pick<EventStore, 'saveOpenText' | 'openTexts' | 'dropOpenText'>

interface OpenTextParts {
  readonly db: Kysely<StoreTables>
  readonly hot: HotQueries
  readonly clock: Clock
  readonly commitUnsynced: Commit
}

export function createSqlOpenTexts({ db, hot, clock, commitUnsynced }: OpenTextParts): OpenTexts {
  const save = createSaver(hot, commitUnsynced)
  return {
    saveOpenText(sessionId, text) {
      const { messageId, kind } = text.data
      const key = { session_id: sessionId, message_id: messageId, kind }
      return save({ ...key, opened_at: clock.now().toISOString(), snapshot: JSON.stringify(text) })
    },
    async openTexts(sessionId) {
      const rows = await db
        .selectFrom('open_texts')
        .select('snapshot')
        .where('session_id', '=', sessionId)
        .orderBy('opened_at')
        .orderBy('message_id')
        .orderBy('kind')
        .execute()
      return rows.map((row) => AgentStreamSnapshot.parse(JSON.parse(row.snapshot)))
    },
    async dropOpenText(sessionId, messageId, kind) {
      await commitUnsynced((trx) => trx.executeQuery(hot.dropText(sessionId, messageId, kind)))
    },
  }
}

interface Waiting {
  readonly row: OpenTextRow
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Resolves when the row is written. Rows that wait at the same moment are written, and fail, together. */
function createSaver(hot: HotQueries, commitUnsynced: Commit): (row: OpenTextRow) => Promise<void> {
  let waiting: Waiting[] = []

  /** Its place among the other writes is that of the first who waits; the rest comes along. */
  async function writeGroup(): Promise<void> {
    let group: Waiting[] = []
    const take = () => {
      group = waiting
      waiting = []
    }
    try {
      await commitUnsynced(async (trx) => {
        take()
        const rows = latestOf(group)
        for (let at = 0; at < rows.length; at += rowsPerInsert) {
          await trx.executeQuery(hot.saveTexts(rows.slice(at, at + rowsPerInsert)))
        }
      })
      for (const { resolve } of group) resolve()
    } catch (error) {
      // It may have failed before it got to take anything.
      if (group.length === 0) take()
      for (const { reject } of group) reject(error)
    }
  }

  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject })
      if (waiting.length === 1) void writeGroup()
    })
}

/** A statement may write a row only once. */
function latestOf(group: readonly Waiting[]): readonly OpenTextRow[] {
  const rows = new Map(group.map(({ row }) => [`${row.session_id} ${row.kind} ${row.message_id}`, row]))
  return [...rows.values()]
}
