// Turns calls into requests inside this process, so that every rule of the HTTP route applies.

import { addressOf, refusalOf } from '@quarterdeck/client'
import type { SessionService } from '@quarterdeck/engine'
import { callInputOf, type Operation, type Principal, rpcMethods } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import type { AppEnv, KnownCaller } from '../http/app-env.ts'
import type { RpcHost } from './rpc-host.ts'

export interface AppHostDeps {
  readonly app: Hono<AppEnv>
  readonly caller: KnownCaller
  /** The session service of a principal. */
  readonly sessionsOf: (principal: Principal) => SessionService
}

export function createAppHost({ app, caller, sessionsOf }: AppHostDeps): RpcHost {
  // The key is checked for each call, as over HTTP: a revoked or expired one is refused.
  const asCaller = caller.key === null ? { env: { known: caller }, headers: {} } : keyed(caller.key)
  return {
    // A call runs to its end even if the peer disconnects.
    async call(method, params) {
      const operation: Operation = rpcMethods[method]
      const { idempotencyKey, body, ...where } = callInputOf(method, params)
      const request = new Request(`http://${host}${addressOf(operation.path, where)}`, {
        method: operation.method.toUpperCase(),
        headers: {
          host,
          ...asCaller.headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const response = await app.fetch(request, asCaller.env)
      const value: unknown = await response.json()
      if (!response.ok) throw refusalOf(response.status, value)
      return value
    },
    feed: (from, sink) => sessionsOf(caller.principal).feed(from, sink),
  }
}

/** A host name that every server accepts. */
const host = 'localhost'

const keyed = (key: string) => ({ env: {}, headers: { authorization: `Bearer ${key}` } })
