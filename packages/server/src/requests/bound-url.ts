import { analyzeRoutes, QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../app-env.ts'

const maxUrlLength = 8192

export const boundUrl: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { url, path } = c.req
  if (path === analyzeRoutes.stream.path) boundAnalysis(url)
  else if (url.length > maxUrlLength) {
    throw new QuarterdeckError('request.too-large', `the address is longer than ${maxUrlLength} characters`)
  }
  await next()
}

/** Its query brings tables: whoever has more of them than fit has another way. */
function boundAnalysis(url: string): void {
  const { length } = url.slice(url.indexOf('?') + 1)
  if (length <= maxUrlLength) return
  const other = `POST ${analyzeRoutes.start.path} takes the same as a body`
  throw new QuarterdeckError('request.uri-too-long', `the query is longer than ${maxUrlLength} characters: ${other}`)
}
