import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from './app-env.ts'

export interface TextReply {
  readonly status: number
  readonly type: 'application/json' | 'application/problem+json'
  readonly body: string
}

/** A serialized response that must not be cached. */
export function sendText(c: Context<AppEnv>, { status, type, body }: TextReply): Response {
  c.header('content-type', type)
  c.header('cache-control', 'no-store')
  // Every status comes from the tables of the contract, and all of them may have a body.
  return c.body(body, status as ContentfulStatusCode)
}
