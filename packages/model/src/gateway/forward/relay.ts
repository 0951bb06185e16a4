// Reaches the provider, relays its answer, and reports the usage before the answer ends.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendApiError } from '../../wire/anthropic/send-api-error.ts'
import { countedInput } from '../../wire/anthropic/usage.ts'
import { useOf } from '../metering/request-accounting.ts'
import { createResponseMeter, type Metered, type ResponseMeter } from '../metering/response-meter.ts'
import type { RateTicket } from '../rate/family-queue.ts'
import { rateOutcome } from '../rate/rate-outcome.ts'
import type { Billed, Exchange, ForwardDeps } from './exchange.ts'
import { upwardHeaders } from './forwarded-headers.ts'
import { redact, relayResponse } from './relay-response.ts'
import { errorCode } from './retry-policy.ts'
import { type ForwardedRequest, type Reached, sendWithRetries } from './send-with-retries.ts'

export interface RelayOptions {
  readonly exchange: Exchange
  readonly deps: ForwardDeps
  readonly body: Buffer
  /** Null for requests that cost nothing. */
  readonly billed: Billed | null
  /** Called once for each received message, before the client sees its end. */
  readonly onMetered: (metered: Metered) => Promise<void>
}

export async function relay(options: RelayOptions): Promise<void> {
  const { exchange, deps, billed } = options
  const { response, requestId, signal } = exchange
  const secret = deps.upstream.credential?.value ?? null
  let meter: ResponseMeter | null = null
  let ticket: RateTicket | null = null
  let failure: unknown = null
  const heldBack: Buffer[] = []
  try {
    const reached = await reach(options)
    const { upstream, isFinal } = reached
    ticket = reached.ticket
    reportRefusedKey(upstream.statusCode ?? 0, options)
    const elsewhere = redirectOf(upstream)
    if (elsewhere !== null) {
      upstream.destroy()
      ticket?.end(null)
      return sendApiError(response, { ...redirected(elsewhere), requestId })
    }
    meter = createResponseMeter(upstream.headers['content-type'], {
      request: billed?.model ?? { requestId, model: '', inputTokens: 0 },
      onBegun: (begun) => {
        ticket?.begun(countedInput(begun.usage))
        if (billed) deps.onBegun?.(useOf(billed.model, begun))
      },
    })
    await relayResponse({
      upstream,
      response,
      meter,
      signal,
      secret,
      isFinal,
      mergeWindowMs: deps.mergeWindowMs ?? 0,
      silenceMs: deps.silenceMs ?? 0,
      heldBack,
    })
  } catch (error) {
    failure = error
  }
  const metered = billed && meter ? meter.read() : null
  if (metered && !metered.isComplete && failure === null) {
    const { sessionId } = exchange.session
    const facts = { sessionId, requestId, ...metered }
    deps.logger?.warn(facts, 'the provider sent no usable usage: the answer is booked as an estimate')
  }
  ticket?.end(metered && rateOutcome(metered.usage))
  if (metered) await options.onMetered(metered)
  if (heldBack.length > 0 && !signal.aborted) response.write(Buffer.concat(heldBack))
  if (failure === null) return void response.end()
  if (!signal.aborted) {
    deps.logger?.warn({ requestId, error: redact(String(failure), secret) }, 'the model upstream failed')
  }
  if (response.headersSent && !signal.aborted) await delivered(response)
  if (response.headersSent || signal.aborted) return void response.destroy()
  const message = `The model upstream could not be reached (${errorCode(failure)}).`
  const headers: Record<string, string> = deps.retry.maxRetries > 0 ? { 'x-should-retry': 'false' } : {}
  sendApiError(response, { status: 502, message, requestId, headers })
}

/** The host of a redirect, or `null`. A client would follow it with the whole conversation. */
function redirectOf({ statusCode = 0, headers: { location = '' } }: IncomingMessage): string | null {
  if (statusCode < 300 || statusCode >= 400) return null
  return URL.canParse(location) ? new URL(location).host : 'another address'
}

const redirected = (host: string) => ({
  status: 502,
  message: `The provider redirects to ${host}: set model.endpoint to the final address.`,
  headers: { 'x-should-retry': 'false' },
})

/**
 * Waits until the last bytes are written or the client has left: destroying the response at once would lose text that
 * was paid for.
 */
const delivered = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', () => resolve())
    response.write('', () => resolve())
  })

function reach({ exchange, deps, body, billed }: RelayOptions): Promise<Reached> {
  const { request, session, requestId, signal } = exchange
  const { sessionId, owner, hasFallbackModel } = session
  const forwarded: ForwardedRequest = {
    request: {
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      headers: upwardHeaders(request.headers, deps.upstream),
      body,
      signal,
    },
    takeTicket: billed && ((isRetry) => deps.shaper.acquire({ ...billed.model, owner, isRetry }, signal)),
    hasFallbackModel,
    policy: deps.retry,
    silenceMs: deps.silenceMs ?? 0,
    onRetrying: (retrying) => deps.onRetrying?.({ sessionId, requestId, ...retrying }),
  }
  return sendWithRetries(forwarded, deps.client)
}

function reportRefusedKey(status: number, { exchange, deps }: RelayOptions): void {
  if (status === 401 || status === 403) deps.onKeyRefused?.({ sessionId: exchange.session.sessionId, status })
}
