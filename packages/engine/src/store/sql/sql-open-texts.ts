import { AgentStreamSnapshot } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import type { Clock, EventStore } from '../event-store.ts'
import type { HotQueries } from './compile-hot-queries.ts'
import type { Commit } from './group-commit.ts'
import type { StoreTables } from './tables.ts'

type OpenTexts = Pick<EventStore, 'saveOpenText' | 'openTexts' | 'dropOpenText'>

interface OpenTextParts {
  readonly db: Kysely<StoreTables>
  readonly hot: HotQueries
  readonly clock: Clock
  readonly commitUnsynced: Commit
}

export function createSqlOpenTexts({ db, hot, clock, commitUnsynced }: OpenTextParts): OpenTexts {
  return {
    async saveOpenText(sessionId, text) {
      const { messageId, kind } = text.data
      const key = { session_id: sessionId, message_id: messageId, kind }
      const row = { ...key, opened_at: clock.now().toISOString(), snapshot: JSON.stringify(text) }
      await commitUnsynced((trx) => trx.executeQuery(hot.saveText(row)))
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
