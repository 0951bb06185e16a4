import type { Kysely } from 'kysely'
import { BegunAnswer } from '../begun-answer.ts'
import type { EventStore } from '../event-store.ts'
import type { MoneyQueries } from './compile-money-queries.ts'
import type { Commit } from './group-commit.ts'
import type { StoreTables } from './tables.ts'

type BegunAnswers = Pick<EventStore, 'noteBegun' | 'begunAnswers' | 'dropBegun'>

interface BegunAnswerParts {
  readonly db: Kysely<StoreTables>
  readonly money: MoneyQueries
  readonly commitUnsynced: Commit
}

/** Not synced: a note outlives the process, and a power cut takes the answer's connection too. */
export function createSqlBegunAnswers({ db, money, commitUnsynced }: BegunAnswerParts): BegunAnswers {
  return {
    async noteBegun(answer) {
      const { sessionId, apiMessageId } = answer
      await commitUnsynced((trx) => trx.executeQuery(money.noteBegun(sessionId, apiMessageId, JSON.stringify(answer))))
    },
    async begunAnswers() {
      const rows = await db.selectFrom('begun_answers').select('answer').orderBy('api_message_id').execute()
      return rows.map((row) => BegunAnswer.parse(JSON.parse(row.answer)))
    },
    async dropBegun({ sessionId, apiMessageId }) {
      await commitUnsynced((trx) => trx.executeQuery(money.dropBegun(sessionId, apiMessageId)))
    },
  }
}
