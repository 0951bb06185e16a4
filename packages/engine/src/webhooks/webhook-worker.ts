// Tells the outside what happened, from the outbox: what was committed is delivered at least once, in spite of crashes.
import type { EventType } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { Clock } from '../store/ports/event-store.ts'
import type { Delivery, DeliveryOutcome, OutboxStore } from '../store/ports/outbox-store.ts'
import { signDelivery } from './sign-delivery.ts'

export interface Webhook {
  /** Stable across restarts: deliveries that wait belong to it. */
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
  /** How often the outbox is looked at. */
  readonly pollMs?: number
  readonly firstRetryMs?: number
  /** How long a receiver may take. */
  readonly timeoutMs?: number
}

export interface WebhookWorker {
  /** Breaks off what is under way: it stays in the outbox, uncounted, for the next start. */
  close(): Promise<void>
}

interface OpenDelivery {
  readonly webhookId: string
  readonly leaving: AbortController
  readonly done: Promise<void>
}

const defaultPollMs = 500
const defaultFirstRetryMs = 5000
const longestRetryMs = 60 * 60 * 1000
/** About two days with the usual first retry. */
const maxAttempts = 50
const defaultTimeoutMs = 10_000
/** Of one webhook at the same time: one that does not answer holds up nobody but itself. */
const mostAtOnce = 10

export function startWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { webhooks, store, clock, logger } = options
  const underWay = new Map<string, OpenDelivery>()
  /** What came of a delivery that could not be written down: it is not posted again for that. */
  const unwritten = new Map<string, DeliveryOutcome>()
  let isClosed = false
  let areOthersGivenUp = false
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> = Promise.resolve()
  store.setWebhooks(webhooks.map(({ id, events }) => ({ id, events })))

  async function beginDue(): Promise<void> {
    for (const webhook of webhooks) await beginDueOf(webhook)
    if (areOthersGivenUp) return
    const ids = webhooks.map(({ id }) => id)
    await store.giveUpOthers(ids, 'this webhook is no longer configured')
    areOthersGivenUp = true
  }

  /** Each webhook is asked for by itself: what one has waiting hides nothing of another. */
  async function beginDueOf(webhook: Webhook): Promise<void> {
    // As of before the look: what ends meanwhile may still look due.
    const begun = new Set([...underWay].flatMap(([id, { webhookId }]) => (webhookId === webhook.id ? [id] : [])))
    const freeSlots = mostAtOnce - begun.size
    if (freeSlots === 0) return
    // As many as there is room for are behind those under way, which look due too.
    const due = await store.dueDeliveries(webhook.id, clock.now().toISOString(), mostAtOnce)
    if (isClosed) return
    for (const delivery of due.filter(({ id }) => !begun.has(id)).slice(0, freeSlots)) begin(webhook, delivery)
  }

  function begin(webhook: Webhook, delivery: Delivery): void {
    const { id, webhookId } = delivery
    const leaving = new AbortController()
    const done = deliver(webhook, delivery, leaving.signal)
      .catch((error: unknown) => logger.error({ error, delivery: id }, 'what came of a delivery cannot be written'))
      .finally(() => underWay.delete(id))
    underWay.set(id, { webhookId, leaving, done })
  }

  async function deliver(webhook: Webhook, delivery: Delivery, leaving: AbortSignal): Promise<void> {
    const outcome = unwritten.get(delivery.id) ?? (await outcomeOf(webhook, delivery, leaving))
    if (outcome === null) return
    unwritten.set(delivery.id, outcome)
    await store.settleDelivery(delivery.id, outcome)
    unwritten.delete(delivery.id)
  }

  /** `null` when it was broken off. */
  async function outcomeOf(
    webhook: Webhook,
    delivery: Delivery,
    leaving: AbortSignal,
  ): Promise<DeliveryOutcome | null> {
    const error = await post(webhook, delivery, { clock, leaving, timeoutMs: options.timeoutMs ?? defaultTimeoutMs })
    if (error === null) return { type: 'delivered' }
    if (leaving.aborted) return null
    const isLast = delivery.attempts + 1 >= maxAttempts
    logger.warn({ webhook: webhook.id, delivery: delivery.id, error, isLast }, 'a webhook was not delivered')
    if (isLast) return { type: 'given-up', error }
    const nextAt = new Date(clock.now().getTime() + retryDelayMs(delivery.attempts, options.firstRetryMs)).toISOString()
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

  schedule()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await polling
      for (const { leaving } of underWay.values()) leaving.abort()
      await Promise.all([...underWay.values()].map(({ done }) => done))
    },
  }
}

function retryDelayMs(attempts: number, firstRetryMs = defaultFirstRetryMs): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts, 20))
}

/** Thin: what happened where. Whoever wants the contents asks the API, with its own rights. */
const bodyOf = ({ id, type, sessionId, seq, at }: Delivery): string => JSON.stringify({ id, type, sessionId, seq, at })

interface Posting {
  readonly clock: Clock
  readonly leaving: AbortSignal
  readonly timeoutMs: number
}

/** `null` when it was taken. Redirects are not followed: the secret was given for one address. */
async function post({ url, secret }: Webhook, delivery: Delivery, posting: Posting): Promise<string | null> {
  const body = bodyOf(delivery)
  const atSeconds = Math.floor(posting.clock.now().getTime() / 1000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...signDelivery(secret, { id: delivery.id, atSeconds, body }) },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(posting.timeoutMs), posting.leaving]),
    })
    await response.body?.cancel()
    return response.ok ? null : `the receiver answered ${response.status}`
  } catch (error) {
    return error instanceof Error ? `${error.message}${causeOf(error)}` : String(error)
  }
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? `: ${cause.message}` : '')
