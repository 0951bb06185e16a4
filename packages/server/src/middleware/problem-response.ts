// Sends every error as RFC 9457 problem+json with a code from the closed list.
import { randomUUID } from 'node:crypto'
import type { Logger } from '@quarterdeck/engine'
import { isQuarterdeckError, operations, problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { Context, ErrorHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { sendText } from '../http/send-text.ts'

/** Logs unexpected errors once with all details; the caller gets only the id of the request. */
export const answerErrors =
  (logger: Logger): ErrorHandler<AppEnv> =>
  (error, c) => {
    if (isQuarterdeckError(error) && error.code !== 'internal') {
      if (isStoreFailure(error) && c.req.path !== operations.ready.path) {
        logger.error({ code: error.code, method: c.req.method, path: c.req.path }, error.message)
      }
      return problemResponse(error, c)
    }
    const requestId = c.get('requestId') ?? randomUUID()
    logger.error({ requestId, method: c.req.method, path: c.req.path, error }, 'request failed unexpectedly')
    const detail = `the server failed on this request: see request ${requestId} in its log`
    return problemResponse(new QuarterdeckError('internal', detail, { facts: { requestId } }), c)
  }

/** Logs every error of a request; readiness is public and logs only its changes. */
const isStoreFailure = ({ code }: QuarterdeckError): boolean => code === 'store.unavailable' || code === 'store.corrupt'

function problemResponse(error: QuarterdeckError, c: Context<AppEnv>): Response {
  const problem = problemOf(error, c.req.path)
  for (const [name, value] of Object.entries(headersFor(error))) c.header(name, value)
  return sendText(c, { status: problem.status, type: 'application/problem+json', body: JSON.stringify(problem) })
}

function headersFor(error: QuarterdeckError): Record<string, string> {
  switch (error.code) {
    case 'auth.required':
      return { 'www-authenticate': 'Bearer realm="quarterdeck"' }
    case 'auth.invalid':
      return { 'www-authenticate': 'Bearer realm="quarterdeck", error="invalid_token"' }
    case 'server.draining':
      return { 'retry-after': '5' }
    case 'store.unavailable':
      return { 'retry-after': '5' }
    case 'request.timeout':
      // The rest of the body is not read, so the connection cannot be reused.
      return { connection: 'close' }
    case 'request.rate-limited':
      return { 'retry-after': String(error.facts.retryAfterSeconds ?? 1) }
    case 'request.method-not-allowed':
      return { allow: String(error.facts.allowed ?? '') }
    default:
      return {}
  }
}
