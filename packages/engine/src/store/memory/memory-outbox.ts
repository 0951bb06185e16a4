import type { SessionEvent, SessionId } from '@quarterdeck/protocol'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Delivery, OutboxStore, WebhookInterest } from '../ports/outbox-store.ts'
import { deliveriesOf, forgetDeliveriesAt } from '../sql/log/outbox-deliveries.ts'

interface MemoryOutbox extends OutboxStore {
  enqueue(events: readonly SessionEvent[]): void
  drop(sessionId: SessionId): void
}

export function createMemoryOutbox(clock: Clock, ids: Ids): MemoryOutbox {
  const rows = new Map<string, Delivery & { readonly doneAt: string | null }>()
  let interests: readonly WebhookInterest[] = []
  return {
    setWebhooks(webhooks) {
      interests = webhooks
    },
    enqueue(events) {
      for (const delivery of deliveriesOf(events, interests, ids)) rows.set(delivery.id, { ...delivery, doneAt: null })
    },
    drop(sessionId) {
      for (const [id, row] of rows) if (row.sessionId === sessionId) rows.delete(id)
    },
    dueDeliveries: async (webhookId, now, limit) =>
      [...rows.values()]
        .filter((row) => row.webhookId === webhookId && row.doneAt === null && row.nextAt <= now)
        .sort((one, other) => (one.nextAt < other.nextAt ? -1 : 1))
        .slice(0, limit)
        .map(({ doneAt, ...delivery }) => delivery),
    async abandonOthers(webhookIds, lastError) {
      const doneAt = clock.now().toISOString()
      for (const [id, row] of rows) {
        const isTheirs = row.doneAt === null && !webhookIds.includes(row.webhookId)
        if (isTheirs) rows.set(id, { ...row, lastError, doneAt })
      }
    },
    async settleDelivery(id, outcome) {
      const now = clock.now()
      for (const [old, { doneAt }] of rows) {
        if (doneAt !== null && doneAt <= forgetDeliveriesAt(now)) rows.delete(old)
      }
      const row = rows.get(id)
      if (row === undefined) return
      const lastError = outcome.type === 'delivered' ? null : outcome.error
      const end = outcome.type === 'failed' ? { nextAt: outcome.nextAt } : { doneAt: now.toISOString() }
      rows.set(id, { ...row, attempts: row.attempts + 1, lastError, ...end })
    },
  }
}
