// One admitted request, until it is booked or its reservation is released.

import { type ModelRequest, type RequestTicket, type RequestUse, sleep } from '@quarterdeck/protocol'
import { countedInput, usageOf } from '../../wire/anthropic/usage.ts'
import { bookUsage, releaseRequest } from '../metering/request-accounting.ts'
import type { ModelGatewayOptions, ModelTraffic } from '../model-gateway.ts'
import type { RateTicket } from '../rate/family-queue.ts'
import { rateOutcome } from '../rate/rate-outcome.ts'
import { sanitizeUse } from './sanitize-use.ts'

export type TicketDeps = Pick<
  ModelGatewayOptions,
  'onBegun' | 'settle' | 'release' | 'onRetrying' | 'onKeyRefused' | 'logger'
> & { readonly traffic: ModelTraffic }

interface Opening {
  readonly request: ModelRequest
  /** The request's share of the rate. */
  readonly rateTicket: RateTicket
  /** Waits for another share. */
  readonly waitForRate: (isRetry: boolean) => Promise<RateTicket>
  /** Aborts when the caller gives up the request or its session closes. */
  readonly signal: AbortSignal
  readonly deps: TicketDeps
  readonly onOver: () => void
}

export function openTicket({ request, waitForRate, signal, deps, onOver, ...given }: Opening) {
  const { sessionId, requestId } = request
  let rateTicket: RateTicket | null = given.rateTicket
  let begun: RequestUse | null = null
  let isOpen = true

  function end(word: string): boolean {
    if (!isOpen) deps.logger?.warn({ sessionId, requestId }, `a model request that has ended got another ${word}`)
    const wasOpen = isOpen
    isOpen = false
    onOver()
    return wasOpen
  }

  async function settle(reported: RequestUse): Promise<void> {
    if (!end('settle')) return
    const use = sanitizeUse(reported, request, begun)
    const usage = usageOf(use.tokens)
    rateTicket?.end(rateOutcome(usage))
    const conversation = conversationOf(sessionId, use.requestedModel)
    deps.traffic.promptCache.learn(conversation, request.inputTokens, usage)
    await bookUsage({ sessionId, requestId, ...use }, deps)
  }

  async function release(): Promise<void> {
    if (!end('release')) return
    rateTicket?.end(null)
    await releaseRequest(request, deps)
  }

  async function retrying(retry: Parameters<RequestTicket['retrying']>[0]): Promise<void> {
    const pauseMs = retry.status === 429 ? rateTicket?.refused(retry.delayMs) : rateTicket?.end(null)
    rateTicket = null
    // The pause for all requests to these models may be longer than the delay of this one.
    const delayMs = Math.max(retry.delayMs, Math.ceil(pauseMs ?? 0))
    deps.onRetrying?.({ sessionId, requestId, ...retry, delayMs })
    try {
      await sleep(delayMs, signal)
      signal.throwIfAborted()
      const next = await waitForRate(true)
      if (isOpen) rateTicket = next
      else next.end(null)
    } catch (error) {
      // The caller that gave it up knows the reason.
      if (!signal.aborted) throw error
    }
  }

  const ticket: RequestTicket = {
    type: 'go',
    begun(reported) {
      const use = sanitizeUse(reported, request, null)
      begun = use
      rateTicket?.begun(countedInput(usageOf(use.tokens)))
      deps.onBegun?.({ sessionId, requestId, ...unfinished(use) })
    },
    settle,
    release,
    retrying,
    keyRefused: (status) => deps.onKeyRefused?.({ sessionId, status }),
  }
  return {
    ticket,
    /** The outcome stays unknown: an answer that had begun is still charged. */
    endNow: () => (begun === null ? release() : settle(unfinished(begun))),
  }
}

const unfinished = (use: RequestUse): RequestUse => ({ ...use, tokens: { ...use.tokens, isOutputEstimated: true } })

/** A loop has one conversation with each model. */
export const conversationOf = (sessionId: string, model: string): string => `${sessionId} ${model}`
