import type { Kysely } from 'kysely'
import { BegunAnswer } from '../begun-answer.ts'
import type { EventStore } from '../event-store.ts'
import type { Commit } from './group-commit.ts'
import type { StoreTables } from './tables.ts'

type BegunAnswers = Pick<EventStore, 'noteBegun' | 'begunAnswers' | 'dropBegun'>

/** Not synced: a note outlives the process, and a power cut takes the answer's connection too. */
export function createSqlBegunAnswers(db: Kysely<StoreTables>, commitUnsynced: Commit): BegunAnswers {
  return {
    async noteBegun(answer) {
      const { sessionId: session_id, apiMessageId: api_message_id } = answer
      await commitUnsynced((trx) =>
        trx
          .insertInto('begun_answers')
          .values({ session_id, api_message_id, answer: JSON.stringify(answer) })
          .onConflict((on) => on.columns(['session_id', 'api_message_id']).doNothing())
          .execute(),
      )
    },
    async begunAnswers() {
      const rows = await db.selectFrom('begun_answers').select('answer').orderBy('api_message_id').execute()
      return rows.map((row) => BegunAnswer.parse(JSON.parse(row.answer)))
    },
    async dropBegun({ sessionId, apiMessageId }) {
      await commitUnsynced((trx) =>
        trx
          .deleteFrom('begun_answers')
          .where('session_id', '=', sessionId)
          .where('api_message_id', '=', apiMessageId)
          .execute(),
      )
    },
  }
}
