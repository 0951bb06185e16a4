// Which events are to be told to whom outside, kept until they are.
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
  /** When the event happened. */
  readonly at: string
  /** Tries so far, all of them failed. */
  readonly attempts: number
  readonly nextAt: string
  readonly lastError: string | null
}

export type DeliveryOutcome =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly error: string; readonly nextAt: string }
  | { readonly type: 'given-up'; readonly error: string }

export interface OutboxStore {
  /** From now on `append` leaves a delivery for each event a webhook wants, in its own transaction. */
  setWebhooks(webhooks: readonly WebhookInterest[]): void
  /** Deliveries to one webhook whose time has come, the one that is due longest first, however much others have due. */
  dueDeliveries(webhookId: string, now: string, limit: number): Promise<readonly Delivery[]>
  /** Gives up all that wait for webhooks other than these, of which there is at least one. */
  giveUpOthers(webhookIds: readonly string[], error: string): Promise<void>
  /** Counts the try. What is delivered or given up never comes back; it is forgotten after a week. */
  settleDelivery(id: string, outcome: DeliveryOutcome): Promise<void>
}
