// A foreign page can send requests without an `Origin` (an image, a link, a form), which may have effects where no
// token is needed. Browsers send `Sec-Fetch-Site` with every request; programs do not.
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

/** Runs after the `Origin` check, which handles requests with an `Origin`. */
export const refuseCrossSite: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (isCrossSite(c)) {
    throw new QuarterdeckError('auth.origin-refused', 'pages of other origins may not link to this address')
  }
  await next()
}

export function isCrossSite(c: Context<AppEnv>): boolean {
  const site = c.req.header('sec-fetch-site')
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
  return isForeign && c.req.header('origin') === undefined
}
