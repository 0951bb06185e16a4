// Forwards calls to another server as requests; its events arrive over its own stream.

import { createClient, sendOperation } from '@quarterdeck/client'
import { callInputOf, type Operation, QuarterdeckError, rpcMethods } from '@quarterdeck/protocol'
import type { RpcHost } from './rpc-host.ts'

export interface RemoteServer {
  /** Its address, for example `http://127.0.0.1:4300`. */
  readonly baseUrl: string
  readonly token: string
  readonly fetch?: typeof fetch
}

/**
 * A change is sent once and never retried automatically: callers can retry with an `idempotencyKey`. Event streams
 * reconnect with their cursor.
 */
export function createRemoteHost(server: RemoteServer): RpcHost {
  const { baseUrl, token } = server
  const client = createClient(server)
  return {
    async call(method, given, signal) {
      const operation: Operation = rpcMethods[method]
      const headers = { authorization: `Bearer ${token}` }
      const reply = await sendOperation(server, operation, { ...callInputOf(method, given), headers, signal })
      if (reply !== undefined) return reply
      throw new QuarterdeckError('internal', `the answer of ${baseUrl} to ${method} is not JSON`)
    },
    async feed({ sessionId, after, signal }, sink) {
      for await (const event of client.follow(sessionId, { after, signal })) {
        // Events that are not read stay in the connection, and then in the log of the server.
        if (!sink.take([event])) await sink.drained()
      }
    },
  }
}
