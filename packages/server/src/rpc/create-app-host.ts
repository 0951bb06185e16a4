// Calls become requests inside this process: whatever holds for the route over HTTP holds for them.

import { addressOf, refusalOf } from '@quarterdeck/client'
import type { SessionService } from '@quarterdeck/engine'
import { callInputOf, type Principal, type Route, rpcMethods } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import type { AppEnv, KnownCaller } from '../http/app-env.ts'
import type { RpcHost } from './rpc-host.ts'

export interface AppHostDeps {
  readonly app: Hono<AppEnv>
  readonly caller: KnownCaller
  /** The doors as one principal sees them. */
  readonly sessionsOf: (principal: Principal) => SessionService
}

export function createAppHost({ app, caller, sessionsOf }: AppHostDeps): RpcHost {
  // A key is looked up for each call, as over HTTP: one that was revoked or has run out opens nothing any more.
  const asCaller = caller.key === null ? { env: { known: caller }, headers: {} } : keyed(caller.key)
  return {
    // A call that has begun is made to its end, whoever is still there to hear of it.
    async call(method, params) {
      const route: Route = rpcMethods[method]
      const { idempotencyKey, body, ...where } = callInputOf(method, params)
      const request = new Request(`http://${host}${addressOf(route.path, where)}`, {
        method: route.method.toUpperCase(),
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

/** Every server answers to this name. */
const host = 'localhost'

const keyed = (key: string) => ({ env: {}, headers: { authorization: `Bearer ${key}` } })
