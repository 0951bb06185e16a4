import { z } from 'zod'
import type { EventStore } from '../../ports/event-store.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

/** Stored as JSON, which escapes the characters that the driver would cut or change. */
const Body = z.string()

const retentionMs = 24 * 60 * 60 * 1000

/** Replies saved at this time or before have expired. */
const repliesExpireAt = (now: Date): string => new Date(now.getTime() - retentionMs).toISOString()

type Replies = Pick<EventStore, 'findReply' | 'saveReply'>

type ReplyDeps = Pick<SqlDependencies, 'db' | 'clock' | 'commitUnsynced'>

export function createSqlReplies({ db, clock, commitUnsynced }: ReplyDeps): Replies {
  return {
    async findReply(principal, key) {
      const row = await db
        .selectFrom('replies')
        .select(['body_hash', 'status', 'body'])
        .where('principal', '=', principal)
        .where('key', '=', key)
        .where('saved_at', '>', repliesExpireAt(clock.now()))
        .executeTakeFirst()
      return row === undefined
        ? null
        : { bodyHash: row.body_hash, status: row.status, body: Body.parse(JSON.parse(row.body)) }
    },
    async saveReply(principal, key, { bodyHash, status, body }) {
      const now = clock.now()
      const reply = {
        principal,
        key,
        body_hash: bodyHash,
        status,
        body: JSON.stringify(body),
        saved_at: now.toISOString(),
      }
      // A power failure may lose the reply but never its effect: a retry derives the same ids and finds it.
      await commitUnsynced(async (trx) => {
        await trx.deleteFrom('replies').where('saved_at', '<=', repliesExpireAt(now)).execute()
        await trx
          .insertInto('replies')
          .values(reply)
          .onConflict((on) => on.columns(['principal', 'key']).doNothing())
          .execute()
      })
    },
  }
}
