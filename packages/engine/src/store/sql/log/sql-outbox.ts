import type { SessionEvent } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { OutboxStore, WebhookInterest } from '../../ports/outbox-store.ts'
import type { StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

export interface SqlOutbox extends OutboxStore {
  /** In the transaction of the events. */
  enqueue(trx: Transaction<StoreTables>, events: readonly SessionEvent[]): Promise<void>
}

type OutboxDeps = Pick<SqlDependencies, 'db' | 'commit' | 'clock' | 'ids'>

export function createSqlOutbox({ db, commit, clock, ids }: OutboxDeps): SqlOutbox {
  let interests: readonly WebhookInterest[] = []

  /** A delivery that is due at once. */
  const deliveryRow = (webhookId: string, { sessionId, seq, type, at }: SessionEvent) => ({
    id: ids.next('dlv'),
    webhook_id: webhookId,
    session_id: sessionId,
    seq,
    type,
    at,
    attempts: 0,
    next_at: at,
  })

  return {
    setWebhooks(webhooks) {
      interests = webhooks
    },
    async enqueue(trx, events) {
      if (interests.length === 0) return
      const rows = events.flatMap((event) =>
        interests.filter((webhook) => webhook.events.includes(event.type)).map(({ id }) => deliveryRow(id, event)),
      )
      if (rows.length > 0) await trx.insertInto('outbox').values(rows).execute()
    },
    async dueDeliveries(webhookId, now, limit) {
      const rows = await db
        .selectFrom('outbox')
        .selectAll()
        .where('webhook_id', '=', webhookId)
        .where('done_at', 'is', null)
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        webhookId: row.webhook_id,
        sessionId: row.session_id,
        seq: row.seq,
        type: row.type,
        at: row.at,
        attempts: row.attempts,
        nextAt: row.next_at,
        lastError: errorOf(row.last_error),
      }))
    },
    async abandonOthers(webhookIds, error) {
      const given = { done_at: clock.now().toISOString(), last_error: JSON.stringify(error) }
      await commit((trx) =>
        trx
          .updateTable('outbox')
          .set(given)
          .where('done_at', 'is', null)
          .where('webhook_id', 'not in', webhookIds)
          .execute(),
      )
    },
    async settleDelivery(id, outcome) {
      const now = clock.now()
      await commit(async (trx) => {
        await trx.deleteFrom('outbox').where('done_at', '<=', forgetDeliveriesAt(now)).execute()
        await trx
          .updateTable('outbox')
          .set(({ eb }) => ({
            attempts: eb('attempts', '+', 1),
            last_error: outcome.type === 'delivered' ? null : JSON.stringify(outcome.error),
            ...(outcome.type === 'failed' ? { next_at: outcome.nextAt } : { done_at: now.toISOString() }),
          }))
          .where('id', '=', id)
          .execute()
      })
    },
  }
}

const retentionMs = 7 * 24 * 60 * 60 * 1000

/** Deliveries that ended at this time or before are purged. */
const forgetDeliveriesAt = (now: Date): string => new Date(now.getTime() - retentionMs).toISOString()

/** Stored as JSON, which escapes the characters that the driver would cut or change. */
const errorOf = (stored: string | null): string | null =>
  stored === null ? null : z.string().parse(JSON.parse(stored))
