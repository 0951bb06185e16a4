// One request to the provider over keep-alive connections. Resolves with the head of the response, rejects without one.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { watchSilence } from './silence-watch.ts'

export interface UpstreamRequest {
  readonly method: string
  /** Path and query below the base URL. */
  readonly target: string
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
  readonly signal: AbortSignal
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>

/** `headSilenceMs`: how long a provider may take for the head of its answer; 0 for no limit. */
export function createUpstreamClient(baseUrl: string, headSilenceMs = 0) {
  const base = new URL(baseUrl)
  const isTls = base.protocol === 'https:'
  if (!isTls && base.protocol !== 'http:')
    throw new TypeError(`model upstream must be http or https, not ${base.protocol}`)
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const prefix = base.pathname.replace(/\/+$/, '')

  return {
    send({ method, target, headers, body, signal }: UpstreamRequest): Promise<IncomingMessage> {
      return new Promise((resolve, reject) => {
        const outgoing = (isTls ? httpsRequest : httpRequest)({
          hostname: base.hostname.replace(/^\[|\]$/g, ''),
          port: base.port || (isTls ? 443 : 80),
          path: `${prefix}${target}`,
          method,
          headers: { ...headers, host: base.host, ...(method === 'POST' && { 'content-length': body.byteLength }) },
          agent,
          signal,
        })
        const silence = watchSilence(headSilenceMs, () => outgoing.destroy(neverAnswered()))
        outgoing.once('response', (upstream) => {
          silence.end()
          resolve(upstream)
        })
        // Not `once`: an abort after the head raises a second error, which the body reports by itself.
        outgoing.on('error', (error) => {
          silence.end()
          reject(error)
        })
        outgoing.end(body)
      })
    },
    close: (): void => agent.destroy(),
  }
}

/** Has the code of a connection that timed out, so that it is retried like one. */
const neverAnswered = (): Error =>
  Object.assign(new Error('the provider did not start to answer'), { code: 'ETIMEDOUT' })
