import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

/** An address that takes data in its query. */
export interface BulkyQuery {
  readonly path: string
  /** The alternative for a client with a longer query. */
  readonly instead: string
}

const maxUrlLength = 8192

/** For a bulky query only the query counts, and the error names the alternative. */
export const boundUrl =
  (bulkyQueries: readonly BulkyQuery[]): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const { url, path } = c.req
    const bulky = bulkyQueries.find((one) => one.path === path)
    const { length } = bulky === undefined ? url : url.slice(url.indexOf('?') + 1)
    if (length <= maxUrlLength) return next()
    if (bulky === undefined) {
      throw new QuarterdeckError('request.too-large', `the address is longer than ${maxUrlLength} characters`)
    }
    const detail = `the query is longer than ${maxUrlLength} characters: ${bulky.instead}`
    throw new QuarterdeckError('request.uri-too-long', detail)
  }
