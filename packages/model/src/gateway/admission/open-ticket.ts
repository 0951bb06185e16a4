// One admitted request, from the moment it may go until it is booked or given back.
import { setTimeout as sleep } from 'node:timers/promises'
import { countedInput } from '../../wire/anthropic/usage.ts'
import { book, letGo } from '../metering/permission.ts'
import type { ModelRequest } from '../model-gateway.ts'
import { rateOutcome } from '../rate/rate-outcome.ts'
import type { RateTicket } from '../rate/rate-shaper.ts'
import type { ModelRequestAdmissionOptions, RequestTicket, RequestUse } from './model-request-admission.ts'
import { meteredOf, sanitizeUse } from './sanitize-use.ts'

interface Opening {
  readonly request: ModelRequest
  /** Its share of the rate. */
  readonly rateTicket: RateTicket
  /** Waits for another share. */
  readonly waitForRate: (isRetry: boolean) => Promise<RateTicket>
  /** Aborts when the request is given up or its session closes. */
  readonly signal: AbortSignal
  readonly deps: ModelRequestAdmissionOptions
  readonly onOver: () => void
}

export interface OpenTicket {
  readonly ticket: RequestTicket
  /** Nobody will tell what it came to: an answer that had begun is charged all the same. */
  endNow(): Promise<void>
}

export function openTicket({ request, waitForRate, signal, deps, onOver, ...given }: Opening): OpenTicket {
  const { sessionId, requestId } = request
  let rateTicket: RateTicket | null = given.rateTicket
  let begun: RequestUse | null = null
  let isOpen = true

  function end(word: string): boolean {
    if (!isOpen) deps.logger?.warn({ sessionId, requestId }, `a model request that has ended is told to ${word}`)
    const wasOpen = isOpen
    isOpen = false
    onOver()
    return wasOpen
  }

  async function settle(reported: RequestUse): Promise<void> {
    if (!end('settle')) return
    const use = sanitizeUse(reported, request, begun)
    const metered = meteredOf(use)
    rateTicket?.end(rateOutcome(metered.usage))
    const conversation = conversationOf(sessionId, use.requestedModel)
    deps.traffic.promptCache.learn(conversation, request.inputTokens, metered.usage)
    await book({ ...request, model: use.requestedModel }, metered, deps)
  }

  async function release(): Promise<void> {
    if (!end('release')) return
    rateTicket?.end(null)
    await letGo(request, deps)
  }

  async function retrying(retry: Parameters<RequestTicket['retrying']>[0]): Promise<void> {
    const pauseMs = retry.status === 429 ? rateTicket?.refused(retry.delayMs) : rateTicket?.end(null)
    rateTicket = null
    // Everyone who waits for these models may have to wait longer than this request alone.
    const delayMs = Math.max(retry.delayMs, Math.ceil(pauseMs ?? 0))
    deps.onRetrying?.({ sessionId, requestId, ...retry, delayMs })
    try {
      await sleep(delayMs, undefined, { signal })
      const next = await waitForRate(true)
      if (isOpen) rateTicket = next
      else next.end(null)
    } catch (error) {
      // Whoever gave it up knows why.
      if (!signal.aborted) throw error
    }
  }

  const ticket: RequestTicket = {
    type: 'go',
    begun(reported) {
      const use = sanitizeUse(reported, request, null)
      begun = use
      const metered = meteredOf(use)
      rateTicket?.begun(countedInput(metered.usage))
      deps.onBegun?.({ sessionId, requestId, requestedModel: use.requestedModel, ...metered, isComplete: false })
    },
    settle,
    release,
    retrying,
    keyRefused: (status) => deps.onKeyRefused?.({ sessionId, status }),
  }
  return {
    ticket,
    endNow: () =>
      begun === null ? release() : settle({ ...begun, tokens: { ...begun.tokens, isOutputEstimated: true } }),
  }
}

/** A loop has one conversation with each model. */
export function conversationOf(sessionId: string, model: string): string {
  return `${sessionId} ${model}`
}
