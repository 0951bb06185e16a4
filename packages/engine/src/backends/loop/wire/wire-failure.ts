// What can go wrong between us and a provider, in one form whichever client noticed it.

export interface FailureFacts {
  /** `null` where there was no answer, or it broke off. */
  readonly status: number | null
  readonly isRetryable: boolean
  readonly retryAfterMs: number | null
  /** The conversation does not fit into the model's window. */
  readonly isTooLong: boolean
}

/** Letters: a provider may answer with a whole page. */
const longestMessage = 2000

/** For a log and a terminal: without what either would take for a command. */
function printable(message: string): string {
  const clean = message.replace(/\p{Cc}+/gu, ' ').trim()
  return clean.length <= longestMessage ? clean : `${clean.slice(0, longestMessage)}…`
}

/** Its message never holds a key: what a provider says about a refused one is left out. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure'
  readonly facts: FailureFacts

  constructor(message: string, facts: Partial<FailureFacts> = {}, cause?: unknown) {
    super(printable(message), cause === undefined ? {} : { cause })
    this.facts = { status: null, isRetryable: false, retryAfterMs: null, isTooLong: false, ...facts }
  }
}

/** An answer of the provider that is an error, as both clients tell it. */
export interface ProviderError {
  readonly status: number | undefined
  readonly headers: Headers | undefined
  /** Its name, or a number where the provider has no names; as it came, as the message. */
  readonly type: unknown
  readonly message: unknown
}

/** What an error in the middle of a stream would have been as the status of an answer. */
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

/** Some servers put more than words where the words belong. */
function errorText(reported: unknown): string {
  if (typeof reported === 'string') return reported
  return typeof reported === 'object' && reported !== null ? JSON.stringify(reported) : ''
}

/** No answer, or one that stopped in the middle; or what we found wrong with it on the way, as a client passes it on. */
export function brokenFailure(error: unknown): WireFailure {
  if (error instanceof Error && error.cause instanceof WireFailure) return error.cause
  return new WireFailure(`the connection to the provider failed: ${causesOf(error)}`, { isRetryable: true }, error)
}

/** An answer that is not in the provider's own words. */
export const malformedFailure = (what: string): WireFailure =>
  new WireFailure(`the provider sent ${what}: check that model.endpoint speaks the API of model.provider`)

/** Blocks of one answer, its calls among them: no model needs nearly as many. */
export const mostParts = 1000

/** An answer that has no end: the next one would have none either. */
export const overlongFailure = (bound: string): WireFailure =>
  new WireFailure(`the answer has more than ${bound} and was given up`)

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
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

/** Node tells why a request failed only in the cause of the cause. */
function causesOf(error: unknown): string {
  const messages: string[] = []
  for (let one = error; one instanceof Error && messages.length < 4; one = one.cause) messages.push(one.message)
  return messages.length === 0 ? String(error) : messages.join(': ')
}
