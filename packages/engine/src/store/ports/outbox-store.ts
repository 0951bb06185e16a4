// Webhook deliveries, stored until they are made.
import type { EventType, SessionId } from '@quarterdeck/protocol'

export interface WebhookInterest {
  readonly id: string
  readonly events: readonly EventType[]
}

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly sessionId: SessionId
  readonly seq: number
  readonly type: string
  /** When the event occurred. */
  readonly at: string
  /** Failed attempts so far. */
  readonly attempts: number
  readonly nextAt: string
  readonly lastError: string | null
}

export type DeliveryOutcome =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly error: string; readonly nextAt: string }
  | { readonly type: 'given-up'; readonly error: string }

export interface OutboxStore {
  /** From now on `append` adds a delivery for each event that a webhook wants, in its own transaction. */
  setWebhooks(webhooks: readonly WebhookInterest[]): void
  /** Due deliveries of one webhook, longest due first, however many others have due. */
  dueDeliveries(webhookId: string, now: string, limit: number): Promise<readonly Delivery[]>
  /** Abandons all deliveries of webhooks other than these, of which there is at least one. */
  abandonOthers(webhookIds: readonly string[], error: string): Promise<void>
  /** Counts the attempt. A delivered or abandoned one is never returned again and is purged after a week. */
  settleDelivery(id: string, outcome: DeliveryOutcome): Promise<void>
}
