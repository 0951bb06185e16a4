import type { SessionEvent } from '@quarterdeck/protocol'
import type { Ids } from '../../../ports/ids.ts'
import type { Delivery, WebhookInterest } from '../../ports/outbox-store.ts'

/** One per webhook and event that it wants, due at once. */
export function deliveriesOf(
  events: readonly SessionEvent[],
  webhooks: readonly WebhookInterest[],
  ids: Ids,
): readonly Delivery[] {
  return events.flatMap(({ sessionId, seq, type, at }) =>
    webhooks
      .filter((webhook) => webhook.events.includes(type))
      .map((webhook) => ({
        id: ids.next('dlv'),
        webhookId: webhook.id,
        sessionId,
        seq,
        type,
        at,
        attempts: 0,
        nextAt: at,
        lastError: null,
      })),
  )
}

const retentionMs = 7 * 24 * 60 * 60 * 1000

/** Deliveries that ended at this time or before are purged. */
export const forgetDeliveriesAt = (now: Date): string => new Date(now.getTime() - retentionMs).toISOString()
