import { parseJson } from '@quarterdeck/protocol'
import { BegunAnswer } from '../../ports/begun-answer.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

type BegunAnswers = Pick<EventStore, 'noteBegun' | 'begunAnswers' | 'dropBegun'>

type BegunDeps = Pick<SqlDependencies, 'db' | 'money' | 'commitUnsynced'>

/** Not synced: the record survives a crash, and a power failure ends the answer's connection too. */
export function createSqlBegunAnswers({ db, money, commitUnsynced }: BegunDeps): BegunAnswers {
  return {
    async noteBegun(unchecked) {
      const answer = BegunAnswer.parse(unchecked)
      const { sessionId, apiMessageId } = answer
      await commitUnsynced((trx) => trx.executeQuery(money.noteBegun(sessionId, apiMessageId, JSON.stringify(answer))))
    },
    async begunAnswers(onUnreadable) {
      const rows = await db.selectFrom('begun_answers').selectAll().orderBy('api_message_id').execute()
      return rows.flatMap((row) => {
        // One bad row must not hide the others.
        const { data: answer } = BegunAnswer.safeParse(parseJson(row.answer))
        if (answer === undefined) onUnreadable?.({ sessionId: row.session_id, apiMessageId: row.api_message_id })
        return answer ?? []
      })
    },
    async dropBegun({ sessionId, apiMessageId }) {
      await commitUnsynced((trx) => trx.executeQuery(money.dropBegun(sessionId, apiMessageId)))
    },
  }
}
