// Every address that the application serves: those of the operations and the others. The OpenAPI document has the same.
import { operationGroups, QuarterdeckError } from '@quarterdeck/protocol'
import type { Handler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { type Address, otherAddresses } from '../routes/other-addresses.ts'

const addresses: readonly Address[] = [
  ...Object.values(operationGroups).flatMap((group) => Object.values(group)),
  ...Object.values(otherAddresses),
]

/** As patterns: everything that requires a key, and everything else below the same first segment. */
export const guardedPaths: ReadonlySet<string> = new Set(
  addresses
    .filter(({ permission }) => permission !== 'nothing')
    .map(({ path }) => path.replace(/^(\/[^/]+)\/.*$/, '$1/*')),
)

const known = addresses.map(({ method, path }) => ({
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
