// Failures of provider requests, in one form for both clients.
import { ellipsize } from '@quarterdeck/protocol'

export interface FailureFacts {
  /** `null` if there was no response, or it broke off. */
  readonly status: number | null
  readonly isRetryable: boolean
  readonly retryAfterMs: number | null
  /** The conversation does not fit into the model's context window. */
  readonly isTooLong: boolean
}

/** Characters: a provider may respond with a whole page. */
const longestMessage = 2000

/** Removes control characters for logs and terminals. */
const printable = (message: string): string => ellipsize(message.replace(/\p{Cc}+/gu, ' ').trim(), longestMessage)

/** The message never contains a key: the provider's text about a refused one is left out. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure'
  readonly facts: FailureFacts

  constructor(message: string, facts: Partial<FailureFacts> = {}, cause?: unknown) {
    super(printable(message), cause === undefined ? {} : { cause })
    this.facts = { status: null, isRetryable: false, retryAfterMs: null, isTooLong: false, ...facts }
  }
}

/** An error response of the provider, as both clients report it. */
export interface ProviderError {
  readonly status: number | undefined
  readonly headers: Headers | undefined
  /** Its name, or a number if the provider has no names; as received, like the message. */
  readonly type: unknown
  readonly message: unknown
}

/** The HTTP status that corresponds to an error in the middle of a stream. */
function statusOfType(type: string | null): number | undefined {
  if (type === null) return undefined
  if (/^[45]\d\d$/.test(type)) return Number(type)
  return passingTypes.find(([messages]) => messages.test(type))?.[1]
}

const passingTypes = [
  [/overloaded/, 529],
  [/rate_limit/, 429],
  [/api_error|server_error/, 500],
  [/timeout/, 408],
] as const

const retryableStatuses: ReadonlySet<number> = new Set([408, 409, 429])
const tooLong = /prompt is too long|context_length_exceeded|maximum context length|context window/i

export function providerFailure(
  { status: answered, headers, ...reported }: ProviderError,
  cause: unknown,
): WireFailure {
  const type = typeof reported.type === 'string' || typeof reported.type === 'number' ? String(reported.type) : null
  const message = errorText(reported.message)
  const status = answered ?? statusOfType(type)
  const isKeyRefused = status === 401 || status === 403
  const isRetryable = status === undefined ? type === null : retryableStatuses.has(status) || status >= 500
  const facts = {
    status: status ?? null,
    isRetryable,
    retryAfterMs: retryAfterMs(headers),
    isTooLong: (status === 400 || status === 413) && tooLong.test(`${type ?? ''} ${message}`),
  }
  if (isKeyRefused) return new WireFailure(`the provider refused the key (${status})`, facts)
  const how = answered === undefined ? 'the answer broke off' : `the provider answered ${status}`
  return new WireFailure(message === '' ? how : `${how}: ${message}`, facts, cause)
}

/** Some servers send an object instead of text. */
function errorText(reported: unknown): string {
  if (typeof reported === 'string') return reported
  return typeof reported === 'object' && reported !== null ? JSON.stringify(reported) : ''
}

/** No response, or one that stopped midway, or a failure that this code detected and the client passes on. */
export function brokenFailure(error: unknown): WireFailure {
  if (error instanceof Error && error.cause instanceof WireFailure) return error.cause
  return new WireFailure(`the connection to the provider failed: ${causesOf(error)}`, { isRetryable: true }, error)
}

/** A response that does not match the provider's API. */
export const malformedFailure = (what: string): WireFailure =>
  new WireFailure(`the provider sent ${what}: check that model.endpoint speaks the API of model.provider`)

/** Parts of one answer, including its calls: far more than any model needs. */
export const mostParts = 1000

/** An answer that does not end. Not retryable, because the next one would not end either. */
export const overlongFailure = (bound: string): WireFailure =>
  new WireFailure(`the answer has more than ${bound} and was stopped`)

/** Reads `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterMs(headers: Headers | undefined): number | null {
  const inMs = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (inMs >= 0) return inMs
  const reported = headers?.get('retry-after') ?? null
  if (reported === null) return null
  const inSeconds = Number(reported)
  if (inSeconds >= 0) return inSeconds * 1000
  const at = Date.parse(reported)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

/** Node reports why a request failed only in nested causes. */
function causesOf(error: unknown): string {
  const messages: string[] = []
  for (let one = error; one instanceof Error && messages.length < 4; one = one.cause) messages.push(one.message)
  return messages.length === 0 ? String(error) : messages.join(': ')
}
