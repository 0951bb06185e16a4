import type { ServerResponse } from 'node:http'
import { apiErrorBody, errorTypeOfStatus } from './error-body.ts'

export interface ApiErrorReply {
  readonly status: number
  readonly message: string
  readonly requestId: string
  /** By default the type that belongs to the status. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers in the documented shape. Does nothing for a client that has left. */
export function sendApiError(response: ServerResponse, error: ApiErrorReply): void {
  if (response.destroyed) return
  const { status, message, requestId, headers } = error
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': requestId, ...headers })
  response.end(JSON.stringify(apiErrorBody(error.type ?? errorTypeOfStatus(status), message, requestId)))
}
