// The routes of the simulator.
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  ChatRequest,
  CountTokensRequest,
  describeRequestProblem,
  MessagesRequest,
  type OpenAiFlavour,
  toMessagesRequest,
} from '@quarterdeck/model'
import { parseJson, simulatorModel } from '@quarterdeck/protocol'
import { countPromptTokens } from '../replies/estimate-usage.ts'
import { anthropicWire } from '../wires/anthropic-wire.ts'
import { createOpenAiWire } from '../wires/openai-wire.ts'
import { type EmbeddingsDeps, serveEmbeddings } from './serve-embeddings.ts'
import { type MessagesDeps, serveMessages } from './serve-messages.ts'

export type RequestHandlerDeps = MessagesDeps &
  EmbeddingsDeps & {
    /** Running answers: closing the simulator aborts them. */
    readonly answering: Set<AbortController>
  }

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
}

export function createRequestHandler(deps: RequestHandlerDeps) {
  let requestNumber = 0
  let embeddingNumber = 0

  async function answerMessages({ request, response, requestId }: Arrival): Promise<void> {
    const parsed = MessagesRequest.safeParse(await readBody(request))
    if (!parsed.success) {
      const message = describeRequestProblem(parsed.error)
      return anthropicWire.sendError(response, { status: 400, message, requestId })
    }
    requestNumber += 1
    const agentId = header(request, 'x-claude-code-agent-id')
    const signal = untilGone(response, deps.answering)
    const exchange = { number: requestNumber, request: parsed.data, agentId, requestId, response, signal }
    await serveMessages({ ...exchange, wire: anthropicWire }, deps)
  }

  async function answerChat({ request, response, requestId }: Arrival, address: OpenAiAddress): Promise<void> {
    const parsed = ChatRequest.safeParse(withDeployment(await readBody(request), address))
    if (!parsed.success) {
      const message = describeRequestProblem(parsed.error)
      return plainOpenAi(address.flavour).sendError(response, { status: 400, message, requestId })
    }
    requestNumber += 1
    const includeUsage = parsed.data.stream_options?.include_usage === true
    const wire = createOpenAiWire({ flavour: address.flavour, includeUsage })
    const signal = untilGone(response, deps.answering)
    const exchange = { number: requestNumber, request: toMessagesRequest(parsed.data), agentId: null }
    await serveMessages({ ...exchange, requestId, response, signal, wire }, deps)
  }

  async function answerEmbeddings({ request, response, requestId }: Arrival, address: OpenAiAddress): Promise<void> {
    const body = withDeployment(await readBody(request), address)
    embeddingNumber += 1
    const wire = plainOpenAi(address.flavour)
    await serveEmbeddings({ number: embeddingNumber, body, wire, requestId, response }, deps)
  }

  async function countTokens({ request, response, requestId }: Arrival): Promise<void> {
    const parsed = CountTokensRequest.safeParse(await readBody(request))
    if (parsed.success) return sendJson(response, { input_tokens: countPromptTokens(parsed.data) })
    anthropicWire.sendError(response, { status: 400, message: describeRequestProblem(parsed.error), requestId })
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrival = { request, response, requestId: `req_sim_${deps.newId()}` }
    const { method } = request
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (method === 'POST' && path === '/v1/messages') return answerMessages(arrival)
    if (method === 'POST' && path === '/v1/messages/count_tokens') return countTokens(arrival)
    const address = findOpenAiAddress(request.url ?? '/')
    if (address !== null) return answerOpenAi(arrival, address)
    // The CLI probes the address first.
    if (path === '/' && (method === 'HEAD' || method === 'GET')) return sendJson(response, { status: 'ok' })
    const message = `the simulator has no ${method} ${path}`
    anthropicWire.sendError(response, { status: 404, message, requestId: arrival.requestId })
  }

  async function answerOpenAi(arrival: Arrival, address: OpenAiAddress): Promise<void> {
    const method = arrival.request.method ?? 'GET'
    if (method === 'POST' && address.resource === 'chat') return answerChat(arrival, address)
    if (method === 'POST' && address.resource === 'embeddings') return answerEmbeddings(arrival, address)
    if (method === 'GET' && address.resource === 'models') return sendJson(arrival.response, modelList)
    if (method === 'GET' && address.resource === 'model') return sendJson(arrival.response, modelInfo)
    const message = `the simulator has no ${method} ${arrival.request.url}`
    plainOpenAi(address.flavour).sendError(arrival.response, { status: 404, message, requestId: arrival.requestId })
  }
}

const plainOpenAi = (flavour: OpenAiFlavour) => createOpenAiWire({ flavour, includeUsage: false })

// Both APIs list their models at the same address: each client finds the fields it knows.
const modelInfo = {
  type: 'model',
  object: 'model',
  id: simulatorModel,
  display_name: 'Local simulator',
  created_at: '2025-01-01T00:00:00Z',
  created: 1_735_689_600,
  owned_by: 'quarterdeck',
}
const modelList = {
  object: 'list',
  data: [modelInfo],
  has_more: false,
  first_id: simulatorModel,
  last_id: simulatorModel,
}

/** `undefined` for a body that is not JSON: the schema then reports the missing fields. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return parseJson(Buffer.concat(chunks).toString('utf8'))
}

function withDeployment(body: unknown, { deployment }: OpenAiAddress): unknown {
  if (deployment === null || typeof body !== 'object') return body
  return { model: deployment, ...body }
}

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

/** An address of the OpenAI API: with or without a version, or in the form of Azure. */
interface OpenAiAddress {
  readonly resource: 'chat' | 'embeddings' | 'models' | 'model'
  readonly flavour: OpenAiFlavour
  /** Azure's name for a model, if the address contains it. */
  readonly deployment: string | null
}

const resourcePattern = '(chat/completions|embeddings|models|models/[^/]+)'
const deployedPattern = new RegExp(`^/openai/deployments/([^/]+)/${resourcePattern}$`)
const plainPattern = new RegExp(`^(/openai)?(?:/v1)?/${resourcePattern}$`)

/** Null for every other address, including an Azure deployment without `api-version`, as at Azure. */
function findOpenAiAddress(url: string): OpenAiAddress | null {
  const { pathname, searchParams } = new URL(url, 'http://simulator')
  const deployed = deployedPattern.exec(pathname)
  if (deployed?.[1] && searchParams.has('api-version')) {
    return { resource: resourceOf(deployed[2]), flavour: 'azure', deployment: decodeURIComponent(deployed[1]) }
  }
  const plain = plainPattern.exec(pathname)
  if (!plain) return null
  return { resource: resourceOf(plain[2]), flavour: plain[1] === undefined ? 'openai' : 'azure', deployment: null }
}

function resourceOf(path = ''): OpenAiAddress['resource'] {
  if (path === 'chat/completions') return 'chat'
  if (path === 'embeddings' || path === 'models') return path
  return 'model'
}
