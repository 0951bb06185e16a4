// A read-only client of NetBox's REST API: one GET at a time, limited in time and size, with failures as sentences.
import type { Log } from './log.ts'
import { createRedactor } from './redactor.ts'

export interface NetboxClient {
  /** Throws a `NetboxError` with a sentence for the model. */
  get(endpoint: string, query: URLSearchParams, signal: AbortSignal): Promise<unknown>
}

export class NetboxError extends Error {
  /** The status of NetBox's answer; `null` without an answer. */
  readonly status: number | null

  constructor(message: string, status: number | null = null) {
    super(message)
    this.status = status
  }
}

interface NetboxClientOptions {
  readonly url: URL
  readonly token: string
  readonly log: Log
  readonly timeoutMs?: number
  readonly mostBytes?: number
}

export function createNetboxClient(options: NetboxClientOptions): NetboxClient {
  const { url, token, log, timeoutMs = 20_000, mostBytes = 4 * 1024 * 1024 } = options
  // Version 2 tokens, since NetBox 4.5, have a prefix.
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
          // A redirect could send the token to another host.
          redirect: 'manual',
          signal: AbortSignal.any([signal, patience]),
        })
        // Before the text is parsed or truncated, for success and failure alike.
        const text = redacted(await textOf(response, mostBytes))
        const took = Math.round(performance.now() - before)
        log('DEBUG', `GET ${address.pathname}${address.search} ${response.status} ${took} ms`)
        if (!response.ok) throw new NetboxError(refusal(response.status, text), response.status)
        return parsed(text)
      } catch (error) {
        const failure = patience.aborted
          ? new NetboxError(
              `NetBox did not answer within ${timeoutMs / 1000} seconds. Ask for less, or try again later.`,
            )
          : asNetboxError(error)
        // A wrong id or a path of another version is an answer, not an outage.
        log(failure.status === 404 ? 'WARNING' : 'ERROR', `GET ${address.pathname}: ${failure.message}`)
        throw failure
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
      throw new NetboxError('The answer of NetBox is too large. Ask for a smaller limit, fewer fields, or brief')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NetboxError('The server answered, but not with JSON: NETBOX_URL is not the address of a NetBox')
  }
}

function refusal(status: number, text: string): string {
  const reason = reasonOf(text)
  if (status >= 300 && status < 400) {
    return `NetBox redirects to another address (${status}): set NETBOX_URL to the final address, with https if required`
  }
  if (status === 400) return `NetBox rejected the request: ${reason}`
  if (status === 401 || status === 403)
    return `NetBox refused the token (${status}: ${reason}). Check NETBOX_TOKEN and what it may read.`
  if (status === 404) return `NetBox found nothing there (404: ${reason})`
  if (status === 429) return 'NetBox limits the rate of requests (429): try again later'
  return status >= 500 ? `NetBox failed (${status}): try again later` : `NetBox answered with ${status}: ${reason}`
}

/** Reads `{"detail": "…"}` or `{"site": ["…", "…"]}`, and nothing from other shapes such as an HTML page. */
function reasonOf(text: string): string {
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
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'the host is unreachable',
  UND_ERR_SOCKET: 'the connection was closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set NODE_EXTRA_CA_CERTS to its authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate authority is unknown: set NODE_EXTRA_CA_CERTS to it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified: set NODE_EXTRA_CA_CERTS to its authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

function asNetboxError(error: unknown): NetboxError {
  if (error instanceof NetboxError) return error
  if (error instanceof Error && error.name === 'AbortError') return new NetboxError('The call was cancelled.')
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return new NetboxError(
    `NetBox cannot be reached: ${unreachable[code] ?? (code || 'the request failed')} (NETBOX_URL)`,
  )
}
