// A route as a request, and its answer as JSON.
import type { Route } from '@quarterdeck/protocol'
import { parseJson, QuarterdeckError } from '@quarterdeck/protocol'
import { addressOf } from './address-of.ts'
import { refusalOf } from './refusal.ts'

export interface RouteSender {
  /** Where the server listens, for example `http://127.0.0.1:4300`; empty for the page's own origin. */
  readonly baseUrl: string
  readonly fetch?: typeof fetch
}

export interface RouteInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal
}

/**
 * Sent once. Resolves with what was answered, unread, `undefined` where that is no JSON; rejects with what the server
 * refuses, or `server.unreachable` where no answer came.
 */
export async function sendRoute(sender: RouteSender, route: Route, input: RouteInput): Promise<unknown> {
  const { baseUrl, fetch: send = globalThis.fetch.bind(globalThis) } = sender
  const { body, headers, idempotencyKey, signal } = input
  const unanswered = (cause: unknown): never => {
    if (signal?.aborted === true) throw cause
    throw new QuarterdeckError('server.unreachable', `no answer from ${baseUrl || 'the server'}`, { cause })
  }
  const response = await send(baseUrl + addressOf(route.path, input), {
    method: route.method.toUpperCase(),
    headers: {
      ...headers,
      accept: 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch(unanswered)
  // An answer that breaks off is none: whether the change was made is as unknown as without one.
  const value = parseJson(await response.text().catch(unanswered))
  // What is no JSON may be a proxy's own page: the status says what it means.
  if (!response.ok) throw refusalOf(response.status, value)
  return value
}
