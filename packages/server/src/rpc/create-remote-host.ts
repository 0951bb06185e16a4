// A server elsewhere answers the calls: each is a request to it, and its events come over its own stream.
import {
  addressOf,
  callInputOf,
  createClient,
  QuarterdeckError,
  type Route,
  refusalOf,
  rpcMethods,
} from '@quarterdeck/protocol'
import type { RpcHost } from './rpc-host.ts'

export interface RemoteServer {
  /** Where it listens, for example `http://127.0.0.1:4300`. */
  readonly baseUrl: string
  readonly token: string
  readonly fetch?: typeof fetch
}

/**
 * A change is sent once and never again by itself: whoever calls says an `idempotencyKey` and may. Event streams come
 * back with their cursor however often the connection is lost.
 */
export function createRemoteHost(server: RemoteServer): RpcHost {
  const { baseUrl, token } = server
  const send = server.fetch ?? globalThis.fetch.bind(globalThis)
  const client = createClient(server)
  return {
    async call(method, given, signal) {
      const route: Route = rpcMethods[method]
      const { params, query, body, idempotencyKey } = callInputOf(method, given)
      const unanswered = (cause: unknown): never => {
        if (signal.aborted) throw cause
        throw new QuarterdeckError('server.unreachable', `no answer from ${baseUrl}`, { cause })
      }
      const response = await send(baseUrl + addressOf(route.path, { params, query }), {
        method: route.method.toUpperCase(),
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      }).catch(unanswered)
      const reply = parseJson(await response.text().catch(unanswered))
      if (!response.ok) throw refusalOf(response.status, reply)
      if (reply !== undefined) return reply
      throw new QuarterdeckError('internal', `what ${baseUrl} answered to ${method} is not JSON`)
    },
    async feed({ sessionId, after, signal }, sink) {
      for await (const event of client.follow(sessionId, { after, signal })) {
        // What is not taken stays in the connection, and then in the log of the server.
        if (!sink.take([event])) await sink.room()
      }
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a proxy's own page, for example: the status says what it means
  }
}
