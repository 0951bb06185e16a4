// Text in progress, saved before it is shown. With many sessions these are most of the writes: each text has one row
// for its start, and the additions to all texts at one moment share another row.
import { AgentStreamSnapshot, type SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../../ports/event-store.ts'
import type { OpenTextRow } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { createPieceReader, textKey } from './text-pieces.ts'
import { createTextSaver } from './text-saver.ts'

type OpenTexts = Pick<EventStore, 'saveOpenText' | 'addToOpenTexts' | 'openTexts' | 'dropOpenText'>

type TextDeps = Pick<SqlDependencies, 'db' | 'hot' | 'clock' | 'commitUnsynced'>

export function createSqlOpenTexts({ db, hot, clock, commitUnsynced }: TextDeps): OpenTexts {
  const saver = createTextSaver(hot, commitUnsynced)
  const addedBy = createPieceReader(db)

  const readRows = (sessionId: SessionId) =>
    db
      .selectFrom('open_texts')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('opened_at')
      .orderBy('message_id')
      .orderBy('kind')
      .execute()

  async function wholeOf(row: OpenTextRow): Promise<AgentStreamSnapshot> {
    const text = AgentStreamSnapshot.parse(JSON.parse(row.snapshot))
    const added = (await addedBy(row.writer)).get(textKey(row.session_id, row.message_id, row.kind)) ?? []
    const later = added.filter(({ batch }) => batch > row.since).map((piece) => piece.text)
    return { ...text, data: { ...text.data, text: text.data.text + later.join('') } }
  }

  return {
    saveOpenText: (sessionId, text) => saver.save({ sessionId, text, openedAt: clock.now().toISOString() }),
    addToOpenTexts: saver.add,
    async openTexts(sessionId) {
      for (;;) {
        const rows = await readRows(sessionId)
        const texts = await Promise.all(rows.map(wholeOf))
        // Another writer may meanwhile have saved one as a whole and dropped the pieces.
        if (rows.length === 0 || isSame(rows, await readRows(sessionId))) return texts
      }
    },
    dropOpenText: saver.drop,
  }
}

const isSame = (rows: readonly OpenTextRow[], others: readonly OpenTextRow[]): boolean =>
  rows.length === others.length &&
  rows.every(({ message_id, kind, writer, since }, index) => {
    const other = others[index]
    return other?.message_id === message_id && other.kind === kind && other.writer === writer && other.since === since
  })
