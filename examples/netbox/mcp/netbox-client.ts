// NetBox's REST API, read only: one GET at a time, bounded in time and size, its failures in words.
import type { Log } from './log.ts'
import { createRedactor } from './redactor.ts'

export interface NetboxClient {
  /** Throws a `NetboxError` whose sentence is for the model to read. */
  get(endpoint: string, query: URLSearchParams, signal: AbortSignal): Promise<unknown>
}

export class NetboxError extends Error {
  /** What NetBox answered with; `null` when it did not. */
  readonly status: number | null

  constructor(message: string, status: number | null = null) {
    super(message)
    this.status = status
  }
}

interface NetboxPlace {
  readonly url: URL
  readonly token: string
  readonly log: Log
  readonly timeoutMs?: number
  readonly mostBytes?: number
}

export function createNetboxClient(place: NetboxPlace): NetboxClient {
  const { url, token, log, timeoutMs = 20_000, mostBytes = 4 * 1024 * 1024 } = place
  // Tokens of the second kind, since NetBox 4.5, say so themselves.
  const authorization = `${token.startsWith('nbt_') ? 'Bearer' : 'Token'} ${token}`
  const redacted = createRedactor(token)
  return {
    async get(endpoint, query, signal) {
      const address = new URL(endpoint, url)
      address.search = query.toString()
      const before = performance.now()
      const patience = AbortSignal.timeout(timeoutMs)
      try {
        const response = await fetch(address, {
          headers: { authorization, accept: 'application/json' },
          // Whoever it leads to is not whom the token is for.
          redirect: 'manual',
          signal: AbortSignal.any([signal, patience]),
        })
        // Before anything is read in it or cut from it, whether it refuses or not.
        const text = redacted(await textOf(response, mostBytes))
        const took = Math.round(performance.now() - before)
        log('DEBUG', `GET ${address.pathname}${address.search} ${response.status} ${took} ms`)
        if (!response.ok) throw new NetboxError(refusal(response.status, text), response.status)
        return parsed(text)
      } catch (error) {
        const told = patience.aborted
          ? new NetboxError(
              `NetBox did not answer within ${timeoutMs / 1000} seconds. Ask for less, or try again later.`,
            )
          : asNetboxError(error)
        // An id that is none, or an address of another version: the question was answered.
        log(told.status === 404 ? 'WARNING' : 'ERROR', `GET ${address.pathname}: ${told.message}`)
        throw told
      }
    },
  }
}

async function textOf(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) {
      throw new NetboxError(
        'NetBox answered with more than can be read: ask for a smaller limit, some fields, or brief',
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NetboxError('That address answers, but not with JSON: NETBOX_URL does not lead to a NetBox')
  }
}

function refusal(status: number, text: string): string {
  const said = wordsOf(text)
  if (status >= 300 && status < 400) {
    return `NetBox sends us elsewhere (${status}): NETBOX_URL has to be its own address, with https where it wants that`
  }
  if (status === 400) return `NetBox did not take this: ${said}`
  if (status === 401 || status === 403)
    return `NetBox refused the token (${status}: ${said}). Check NETBOX_TOKEN and what it may read.`
  if (status === 404) return `NetBox has nothing there (404: ${said})`
  if (status === 429) return 'NetBox wants fewer requests (429): try again in a while'
  return status >= 500 ? `NetBox failed (${status}): try again later` : `NetBox answered with ${status}: ${said}`
}

/** `{"detail": "…"}` or `{"site": ["…", "…"]}`; of anything else, a page for instance, nothing. */
function wordsOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return 'no reason given'
    const parts = Object.entries(body).map(([key, why]) => (key === 'detail' ? String(why) : `${key}: ${String(why)}`))
    return parts.join('; ').slice(0, 500)
  } catch {
    return 'no reason given'
  }
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to that host',
  UND_ERR_SOCKET: 'the connection was cut',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: name the authority with NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known: name it with NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified: name the authority with NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

function asNetboxError(error: unknown): NetboxError {
  if (error instanceof NetboxError) return error
  if (error instanceof Error && error.name === 'AbortError') return new NetboxError('The call was given up.')
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return new NetboxError(
    `NetBox cannot be reached: ${unreachable[code] ?? (code || 'the request failed')} (NETBOX_URL)`,
  )
}
