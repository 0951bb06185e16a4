// Delivers events from the outbox to webhooks: every committed event is delivered at least once, despite crashes.
import { backoffDelay, type EventType } from '@quarterdeck/protocol'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Delivery, DeliveryOutcome, OutboxStore } from '../store/ports/outbox-store.ts'
import { signDelivery } from './sign-delivery.ts'

export interface Webhook {
  /** Stable across restarts: waiting deliveries belong to it. */
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly events: readonly EventType[]
}

export interface WebhookWorkerOptions {
  readonly webhooks: readonly Webhook[]
  readonly store: OutboxStore
  readonly clock: Clock
  readonly logger: Logger
  readonly pollMs?: number
  readonly firstRetryMs?: number
  readonly timeoutMs?: number
}

interface OpenDelivery {
  readonly webhookId: string
  readonly closing: AbortController
  readonly done: Promise<void>
}

const defaultPollMs = 500
const defaultFirstRetryMs = 5000
const longestRetryMs = 60 * 60 * 1000
/** About two days with the default first retry. */
const maxAttempts = 50
const defaultTimeoutMs = 10_000
/** Open requests of one webhook: a receiver that does not answer blocks only its own deliveries. */
const mostAtOnce = 10

/** From now on the store adds deliveries to the outbox. `start` begins to send them. */
export function createWebhookWorker(options: WebhookWorkerOptions) {
  const { webhooks, store, clock, logger } = options
  const retryBounds = { firstMs: options.firstRetryMs ?? defaultFirstRetryMs, longestMs: longestRetryMs }
  const openDeliveries = new Map<string, OpenDelivery>()
  /** Outcomes that could not be stored; their deliveries are not posted again. */
  const unwritten = new Map<string, DeliveryOutcome>()
  let isClosed = false
  let areRemovedWebhooksDropped = false
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  store.setWebhooks(webhooks.map(({ id, events }) => ({ id, events })))

  async function beginDue(): Promise<void> {
    for (const webhook of webhooks) await beginDueOf(webhook)
    if (areRemovedWebhooksDropped) return
    const ids = webhooks.map(({ id }) => id)
    await store.abandonOthers(ids, 'this webhook is no longer configured')
    areRemovedWebhooksDropped = true
  }

  /** Each webhook is queried separately, so that the backlog of one does not hide another. */
  async function beginDueOf(webhook: Webhook): Promise<void> {
    // Taken before the query: deliveries that end meanwhile may still look due.
    const begun = new Set([...openDeliveries].flatMap(([id, { webhookId }]) => (webhookId === webhook.id ? [id] : [])))
    const freeSlots = mostAtOnce - begun.size
    if (freeSlots === 0) return
    // Reads enough to fill the free slots, because open deliveries look due as well.
    const due = await store.dueDeliveries(webhook.id, clock.now().toISOString(), mostAtOnce)
    if (isClosed) return
    for (const delivery of due.filter(({ id }) => !begun.has(id)).slice(0, freeSlots)) begin(webhook, delivery)
  }

  function begin(webhook: Webhook, delivery: Delivery): void {
    const { id, webhookId } = delivery
    const closing = new AbortController()
    const done = deliver(webhook, delivery, closing.signal)
      .catch((error: unknown) => logger.error({ error, delivery: id }, 'the outcome of a delivery cannot be stored'))
      .finally(() => openDeliveries.delete(id))
    openDeliveries.set(id, { webhookId, closing, done })
  }

  async function deliver(webhook: Webhook, delivery: Delivery, closing: AbortSignal): Promise<void> {
    const outcome = unwritten.get(delivery.id) ?? (await outcomeOf(webhook, delivery, closing))
    if (outcome === null) return
    unwritten.set(delivery.id, outcome)
    await store.settleDelivery(delivery.id, outcome)
    unwritten.delete(delivery.id)
  }

  /** `null` if it was aborted. */
  async function outcomeOf(
    webhook: Webhook,
    delivery: Delivery,
    closing: AbortSignal,
  ): Promise<DeliveryOutcome | null> {
    const error = await post(webhook, delivery, { clock, closing, timeoutMs: options.timeoutMs ?? defaultTimeoutMs })
    if (error === null) return { type: 'delivered' }
    if (closing.aborted) return null
    const isLast = delivery.attempts + 1 >= maxAttempts
    logger.warn({ webhook: webhook.id, delivery: delivery.id, error, isLast }, 'a webhook was not delivered')
    if (isLast) return { type: 'given-up', error }
    const nextAt = new Date(clock.now().getTime() + backoffDelay(delivery.attempts + 1, retryBounds)).toISOString()
    return { type: 'failed', error, nextAt }
  }

  function schedule(): void {
    if (isClosed || webhooks.length === 0) return
    timer = setTimeout(() => {
      polling = beginDue()
        .catch((error: unknown) => logger.error({ error }, 'the outbox cannot be read'))
        .then(schedule)
    }, options.pollMs ?? defaultPollMs)
    timer.unref()
  }

  return {
    start: schedule,
    /** Aborts open requests: they stay in the outbox for the next start and do not count as attempts. */
    async close() {
      isClosed = true
      clearTimeout(timer)
      await polling
      for (const { closing } of openDeliveries.values()) closing.abort()
      await Promise.all([...openDeliveries.values()].map(({ done }) => done))
    },
  }
}

/** Without contents: receivers fetch those from the API with their own permissions. */
const bodyOf = ({ id, type, sessionId, seq, at }: Delivery): string => JSON.stringify({ id, type, sessionId, seq, at })

interface Posting {
  readonly clock: Clock
  readonly closing: AbortSignal
  readonly timeoutMs: number
}

/** `null` on success. Redirects are not followed: the secret is meant for one address. */
async function post({ url, secret }: Webhook, delivery: Delivery, posting: Posting): Promise<string | null> {
  const body = bodyOf(delivery)
  const atSeconds = Math.floor(posting.clock.now().getTime() / 1000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...signDelivery(secret, { id: delivery.id, atSeconds, body }) },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(posting.timeoutMs), posting.closing]),
    })
    await response.body?.cancel()
    return response.ok ? null : `the receiver answered ${response.status}`
  } catch (error) {
    return error instanceof Error ? `${error.message}${causeOf(error)}` : String(error)
  }
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? `: ${cause.message}` : '')
