// Tells the outside what happened, from the outbox: what was committed is delivered at least once, in spite of crashes.
import type { EventType } from '@quarterdeck/protocol'
import type { Clock } from '../store/event-store.ts'
import type { Delivery, OutboxStore } from '../store/outbox-store.ts'
import type { Logger } from '../telemetry/logger.ts'
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
}

export interface WebhookWorker {
  /** Stops after the deliveries under way. */
  close(): Promise<void>
}

const usualPollMs = 500
const usualFirstRetryMs = 5000
const longestRetryMs = 60 * 60 * 1000
/** About two days with the usual first retry. */
const maxAttempts = 50
const patienceMs = 10_000
const batch = 20

export function startWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { webhooks, store, clock, logger } = options
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()
  store.setWebhooks(webhooks.map(({ id, events }) => ({ id, events })))

  async function deliverDue(): Promise<void> {
    const due = await store.dueDeliveries(clock.now().toISOString(), batch)
    await Promise.all(due.map(deliver))
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const webhook = byId.get(delivery.webhookId)
    if (webhook === undefined) {
      return store.settleDelivery(delivery.id, { type: 'given-up', error: 'this webhook is no longer configured' })
    }
    const error = await post(webhook, delivery, clock)
    if (error === null) return store.settleDelivery(delivery.id, { type: 'delivered' })
    const isLast = delivery.attempts + 1 >= maxAttempts
    logger.warn({ webhook: webhook.id, delivery: delivery.id, error, isLast }, 'a webhook was not delivered')
    if (isLast) return store.settleDelivery(delivery.id, { type: 'given-up', error })
    const nextAt = new Date(clock.now().getTime() + retryDelayMs(delivery.attempts, options.firstRetryMs)).toISOString()
    return store.settleDelivery(delivery.id, { type: 'failed', error, nextAt })
  }

  function schedule(): void {
    if (isClosed || webhooks.length === 0) return
    timer = setTimeout(() => {
      working = deliverDue()
        .catch((error: unknown) => logger.error({ error }, 'the outbox cannot be read'))
        .then(schedule)
    }, options.pollMs ?? usualPollMs)
    timer.unref()
  }

  schedule()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}

function retryDelayMs(attempts: number, firstRetryMs = usualFirstRetryMs): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts, 20))
}

/** Thin: what happened where. Whoever wants the contents asks the API, with its own rights. */
const bodyOf = ({ id, type, sessionId, seq, at }: Delivery): string => JSON.stringify({ id, type, sessionId, seq, at })

/** `null` when it was taken. Redirects are not followed: the secret was given for one address. */
async function post({ url, secret }: Webhook, delivery: Delivery, clock: Clock): Promise<string | null> {
  const body = bodyOf(delivery)
  const atSeconds = Math.floor(clock.now().getTime() / 1000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...signDelivery(secret, { id: delivery.id, atSeconds, body }) },
      body,
      signal: AbortSignal.timeout(patienceMs),
    })
    await response.body?.cancel()
    return response.ok ? null : `the receiver answered ${response.status}`
  } catch (error) {
    return error instanceof Error ? `${error.message}${causeOf(error)}` : String(error)
  }
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? `: ${cause.message}` : '')
