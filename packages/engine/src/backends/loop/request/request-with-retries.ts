// One model request until there is an answer: admitted, retried when the provider fails, streamed as it arrives, and
// booked exactly once.
import { draft, type EventDraft, type RequestTicket, type RequestUse } from '@quarterdeck/protocol'
import { estimateRequestTokens } from '../conversation/estimate-request-tokens.ts'
import { stopOfSignal, TurnStop, unlessStopped } from '../turn-stop.ts'
import { outputTokenLimit, type WireRequest } from '../wire/model-wire.ts'
import type { WireFailure } from '../wire/wire-failure.ts'
import { retryDelayMs, waitForRetry } from './loop-retry-policy.ts'
import type { ModelAnswer, ModelRequester, RequestListener } from './model-requester.ts'
import { readAnswerStream } from './read-answer-stream.ts'

export async function requestWithRetries(
  requester: ModelRequester,
  request: WireRequest,
  listener: RequestListener,
): Promise<ModelAnswer> {
  let current = request
  for (let attempt = 1; ; ) {
    const ticket = await admit(requester, current, listener.signal)
    const ticketOutcome = await tryTicket(requester, { request: current, ticket, attempt }, listener)
    if (ticketOutcome.type === 'answer') return ticketOutcome.answer
    attempt = ticketOutcome.attempt
    if (ticketOutcome.fallback !== null) {
      const { fallback: model, reason } = ticketOutcome
      await listener.emit(draft('ModelFellBack', { from: current.model, to: model, reason }))
      current = { ...current, model }
    }
  }
}

async function admit(
  { requests }: ModelRequester,
  request: WireRequest,
  signal: AbortSignal,
): Promise<RequestTicket | null> {
  if (requests === null) return null
  const estimate = {
    model: request.model,
    inputTokens: estimateRequestTokens(request),
    cachedInputTokens: 0,
    maxOutputTokens: outputTokenLimit(request),
  }
  if (signal.aborted) throw stopOfSignal(signal)
  // `admit` ends with the signal by itself. Not waiting for it could lose a ticket granted at the last moment.
  const verdict = await requests.admit(estimate, signal).catch((error: unknown) => {
    throw signal.aborted ? stopOfSignal(signal) : error
  })
  if (verdict.type === 'refuse') throw new TurnStop('failed', verdict.message)
  return verdict
}

interface Attempt {
  readonly request: WireRequest
  readonly ticket: RequestTicket | null
  /** Counted from 1 across the whole request. */
  readonly attempt: number
}

type TicketOutcome =
  | { readonly type: 'answer'; readonly answer: ModelAnswer }
  /** The ticket is booked or released: the next attempt needs a new one. */
  | { readonly type: 'again'; readonly attempt: number; readonly fallback: string | null; readonly reason: string }

/** Tries on one ticket until an answer has begun or no retry is left. */
async function tryTicket(
  requester: ModelRequester,
  { request, ticket, attempt }: Attempt,
  listener: RequestListener,
): Promise<TicketOutcome> {
  const tracked = trackTicket(ticket)
  try {
    for (let number = attempt; ; number += 1) {
      const outcome = await readAnswerStream(requester, request, { ...listener, onBegun: tracked.begun })
      if (outcome.type === 'answer') {
        await tracked.settle(outcome.answer)
        return outcome
      }
      const { failure, partial } = outcome
      if (partial !== null) tracked.note(partial)
      if (listener.signal.aborted) throw stopOfSignal(listener.signal)
      const next = plan(requester, { request, failure, number, hasBegun: partial !== null }, ticket)
      if (next.fallback === null)
        await pause(requester, { failure, number, delayMs: next.delayMs }, { ticket, listener })
      const isSpent = partial !== null || next.fallback !== null
      if (isSpent) return { type: 'again', attempt: number + 1, fallback: next.fallback, reason: failure.message }
    }
  } finally {
    await tracked.close()
  }
}

interface Failed {
  readonly request: WireRequest
  readonly failure: WireFailure
  readonly number: number
  readonly hasBegun: boolean
}

/** The next step after a failure. Throws `TurnStop` if there is none. */
function plan(requester: ModelRequester, { request, failure, number, hasBegun }: Failed, ticket: RequestTicket | null) {
  const { fallbackModel, keyVariable } = requester
  const { status, isTooLong } = failure.facts
  if (status === 401 || status === 403) {
    ticket?.keyRefused(status)
    throw new TurnStop('failed', `the provider refused the key (${status}): check ${keyVariable}`)
  }
  if (isTooLong) throw failure
  const isOverloaded = status === 429 || (status !== null && status >= 500)
  if (isOverloaded && !hasBegun && fallbackModel !== null && fallbackModel !== request.model) {
    return { delayMs: 0, fallback: fallbackModel }
  }
  const delayMs = retryDelayMs(failure, number, requester)
  if (delayMs === null) throw new TurnStop('failed', failure.message)
  return { delayMs, fallback: null }
}

/** With a ticket, the admission reports the retry and knows when the rate allows it. Without one, both happen here. */
async function pause(
  { retryPolicy }: ModelRequester,
  { failure, number, delayMs }: { readonly failure: WireFailure; readonly number: number; readonly delayMs: number },
  { ticket, listener }: { readonly ticket: RequestTicket | null; readonly listener: RequestListener },
): Promise<void> {
  const { status } = failure.facts
  const retry = { attempt: number, maxRetries: retryPolicy.maxRetries, delayMs, status, error: failure.message }
  if (ticket !== null) return unlessStopped(() => ticket.retrying(retry), listener.signal)
  await listener.emit(draft('ModelRequestRetrying', retry))
  await waitForRetry(delayMs, listener.signal)
}

/** Ends a ticket exactly once: with its usage, or without an answer. */
function trackTicket(ticket: RequestTicket | null) {
  let isOpen = ticket !== null
  let used: RequestUse | null = null
  async function settle(use: RequestUse): Promise<void> {
    if (!isOpen) return
    isOpen = false
    await ticket?.settle(use)
  }
  return {
    begun(use: RequestUse): void {
      used = { ...use, tokens: { ...use.tokens, isOutputEstimated: true } }
      ticket?.begun(use)
    },
    /** The more exact usage of an answer that broke off. */
    note(use: RequestUse): void {
      used = use
    },
    settle: ({ messageId, model, servedModel, tokens }: ModelAnswer) =>
      settle({ apiMessageId: messageId, requestedModel: model, servedModel, tokens }),
    async close(): Promise<void> {
      if (!isOpen) return
      if (used !== null) return settle(used)
      isOpen = false
      await ticket?.release()
    },
  }
}

export const usageOf = ({ messageId, model, servedModel, tokens }: ModelAnswer, costUsd: number | null) =>
  draft('UsageRecorded', {
    requestId: messageId,
    apiMessageId: messageId,
    model,
    servedModel,
    tokens,
    costUsd,
    source: 'backend' as const,
  }) satisfies EventDraft<'UsageRecorded'>
