// A page from elsewhere can ask for an address here without an `Origin` (an image, a link, a form): where nobody shows a
// token, asking may already do something. Browsers say on every request where it comes from; programs say nothing.
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

/** Runs behind the check of `Origin`: whoever has one was looked at there. */
export const refuseCrossSite: MiddlewareHandler<AppEnv> = async (c, next) => {
  const site = c.req.header('sec-fetch-site')
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (isForeign && c.req.header('origin') === undefined) {
    throw new QuarterdeckError('auth.origin-refused', 'pages of other origins may not point at this address')
  }
  await next()
}
