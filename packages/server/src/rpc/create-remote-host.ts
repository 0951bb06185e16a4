// A server elsewhere answers the calls: each is a request to it, and its events come over its own stream.

import { createClient, sendRoute } from '@quarterdeck/client'
import { callInputOf, QuarterdeckError, type Route, rpcMethods } from '@quarterdeck/protocol'
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
  const client = createClient(server)
  return {
    async call(method, given, signal) {
      const route: Route = rpcMethods[method]
      const headers = { authorization: `Bearer ${token}` }
      const reply = await sendRoute(server, route, { ...callInputOf(method, given), headers, signal })
      if (reply !== undefined) return reply
      throw new QuarterdeckError('internal', `what ${baseUrl} answered to ${method} is not JSON`)
    },
    async feed({ sessionId, after, signal }, sink) {
      for await (const event of client.follow(sessionId, { after, signal })) {
        // What is not taken stays in the connection, and then in the log of the server.
        if (!sink.take([event])) await sink.drained()
      }
    },
  }
}
