// Which address of the simulator answers what.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CountTokensRequest, describeRequestProblem, MessagesRequest } from '../wire/anthropic/messages-request.ts'
import { sendApiError } from '../wire/anthropic/send-api-error.ts'
import { SIMULATOR_MODEL } from './build-message.ts'
import { countPromptTokens } from './estimate-usage.ts'
import { readBody } from './read-body.ts'
import { type MessagesDeps, serveMessages } from './serve-messages.ts'

export type RequestHandlerDeps = MessagesDeps & {
  /** Answers under way: whoever closes the simulator aborts them. */
  readonly answering: Set<AbortController>
}

export function createRequestHandler(deps: RequestHandlerDeps) {
  let requestNumber = 0

  async function answerMessages(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const parsed = MessagesRequest.safeParse(await readBody(request))
    if (!parsed.success) {
      return sendApiError(response, { status: 400, message: describeRequestProblem(parsed.error), requestId })
    }
    requestNumber += 1
    const agentId = header(request, 'x-claude-code-agent-id')
    const signal = untilGone(response, deps.answering)
    await serveMessages({ number: requestNumber, request: parsed.data, agentId, requestId, response, signal }, deps)
  }

  async function countTokens(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const parsed = CountTokensRequest.safeParse(await readBody(request))
    if (parsed.success) return sendJson(response, { input_tokens: countPromptTokens(parsed.data) })
    sendApiError(response, { status: 400, message: describeRequestProblem(parsed.error), requestId })
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = `req_sim_${deps.newId()}`
    const { method } = request
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (method === 'POST' && path === '/v1/messages') return answerMessages(request, response, requestId)
    if (method === 'POST' && path === '/v1/messages/count_tokens') return countTokens(request, response, requestId)
    if (method === 'GET' && path === '/v1/models') return sendJson(response, MODEL_LIST)
    if (method === 'GET' && path.startsWith('/v1/models/')) return sendJson(response, MODEL)
    // The CLI knocks before it talks.
    if (path === '/' && (method === 'HEAD' || method === 'GET')) return sendJson(response, { status: 'ok' })
    sendApiError(response, { status: 404, message: `the simulator has no ${method} ${path}`, requestId })
  }
}

const MODEL = {
  type: 'model',
  id: SIMULATOR_MODEL,
  display_name: 'Local simulator',
  created_at: '2025-01-01T00:00:00Z',
}
const MODEL_LIST = { data: [MODEL], has_more: false, first_id: SIMULATOR_MODEL, last_id: SIMULATOR_MODEL }

function untilGone(response: ServerResponse, answering: Set<AbortController>): AbortSignal {
  const ending = new AbortController()
  answering.add(ending)
  response.once('close', () => {
    answering.delete(ending)
    ending.abort()
  })
  return ending.signal
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
