import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from './app-env.ts'

export interface TextReply {
  readonly status: number
  readonly type: 'application/json' | 'application/problem+json'
  readonly body: string
}

/** An answer that was written out already. It is true now and nobody may keep it. */
export function sendText(c: Context<AppEnv>, { status, type, body }: TextReply): Response {
  c.header('content-type', type)
  c.header('cache-control', 'no-store')
  // Every status comes from the contract's tables, and all of those may carry a body.
  return c.body(body, status as ContentfulStatusCode)
}
