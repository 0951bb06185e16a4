import { type Operation, operationGroups, QuarterdeckError } from '@quarterdeck/protocol'
import type { Handler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

const routes: readonly Pick<Operation, 'method' | 'path'>[] = [
  ...Object.values(operationGroups).flatMap((group) => Object.values(group)),
  { method: 'get', path: '/openapi.json' },
  { method: 'get', path: '/login' },
]

const known = routes.map(({ method, path }) => ({
  method: method.toUpperCase(),
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** 405 with the allowed methods if the address exists, else 404. */
export const refuseUnknown: Handler<AppEnv> = (c) => {
  const allowed = known.filter(({ pattern }) => pattern.test(c.req.path)).map(({ method }) => method)
  if (allowed.length === 0) {
    throw new QuarterdeckError('request.route-not-found', `there is no ${c.req.path} here: see /openapi.json`)
  }
  throw new QuarterdeckError('request.method-not-allowed', `${c.req.path} accepts ${allowed.join(', ')}`, {
    facts: { allowed: allowed.join(', ') },
  })
}
