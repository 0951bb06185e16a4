import { getRequestListener } from '@hono/node-server'
import type { Logger } from '@quarterdeck/engine'
import { type Problem, problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'
import type { HttpListener } from './listen.ts'
import { createUpgradeListener } from './upgrade.ts'

/** Serves the application on this port, including WebSockets. */
export function serveApp(listener: HttpListener, app: Hono<AppEnv>, logger: Logger): void {
  listener.serve(
    getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: refuseUnreadable }),
    createUpgradeListener(app, logger),
  )
}

/** The request line or Host is not a valid URL; the application never sees the request. */
function refuseUnreadable(): Response {
  const problem: Problem = problemOf(new QuarterdeckError('request.invalid', 'the address or host name cannot be read'))
  return Response.json(problem, { status: problem.status, headers: { 'content-type': 'application/problem+json' } })
}
