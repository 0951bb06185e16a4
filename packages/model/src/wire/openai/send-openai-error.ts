import type { ServerResponse } from 'node:http'
import type { ApiErrorReply } from '../anthropic/send-api-error.ts'
import { type OpenAiFlavour, openAiErrorBody } from './error-body.ts'

/** Answers in OpenAI's own shape. Says nothing to a client that has left. */
export function sendOpenAiError(response: ServerResponse, error: ApiErrorReply, flavour: OpenAiFlavour): void {
  if (response.destroyed) return
  const { status, message, requestId, headers } = error
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': requestId, ...headers })
  response.end(JSON.stringify(openAiErrorBody(status, message, flavour)))
}
