import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../app-env.ts'

const maxUrlLength = 8192

export const boundUrl: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.url.length > maxUrlLength) {
    throw new QuarterdeckError('request.too-large', `the address is longer than ${maxUrlLength} characters`)
  }
  await next()
}
