// Sends an operation as a request and reads its answer as JSON.
import type { Operation } from '@quarterdeck/protocol'
import { parseJson, QuarterdeckError } from '@quarterdeck/protocol'
import { refusalOf } from './refusal.ts'

export interface OperationSender {
  /** The address of the server, for example `http://127.0.0.1:4300`; empty for the page's own origin. */
  readonly baseUrl: string
  readonly fetch?: typeof fetch
}

export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal
}

/**
 * Sends once. Resolves with the answer as it came, `undefined` if it is not JSON. Rejects with the server's refusal, or
 * with `server.unreachable` without an answer.
 */
export async function sendOperation(
  sender: OperationSender,
  operation: Operation,
  input: OperationInput,
): Promise<unknown> {
  const { baseUrl, fetch: send = globalThis.fetch.bind(globalThis) } = sender
  const { body, headers, idempotencyKey, signal } = input
  const unanswered = (cause: unknown): never => {
    if (signal?.aborted === true) throw cause
    throw new QuarterdeckError('server.unreachable', `no answer from ${baseUrl || 'the server'}`, { cause })
  }
  const response = await send(baseUrl + addressOf(operation.path, input), {
    method: operation.method.toUpperCase(),
    headers: {
      ...headers,
      accept: 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch(unanswered)
  // A truncated answer counts as no answer: it is unknown whether the change was made.
  const value = parseJson(await response.text().catch(unanswered))
  // A body that is not JSON may be the page of a proxy: the status decides.
  if (!response.ok) throw refusalOf(response.status, value)
  return value
}

/** The path of an operation with its parameters filled in, and its query. */
export function addressOf(path: string, input: Pick<OperationInput, 'params' | 'query'>): string {
  // `encodeURIComponent` throws for half a surrogate pair. The server refuses the replaced character as an unknown id.
  const segmentOf = (name: string) => encodeURIComponent((input.params?.[name] ?? '').toWellFormed())
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? filled : `${filled}?${text}`
}
