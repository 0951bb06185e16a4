// The addresses outside of the table of operations: sockets, texts, and the addresses of foreign wires. Their
// permissions also decide which of these addresses need a key (`app/known-addresses.ts`).
import { metricsContentType } from '@quarterdeck/engine'
import { type ErrorCode, type Operation, Problem, SessionId, socketPath, socketProtocol } from '@quarterdeck/protocol'
import { z } from 'zod'
import { codeFramePath } from '../pages/code-frame-page.ts'
import { metricsPath } from '../routes/metrics.ts'

export interface OtherAddress {
  /** The `operationId`. */
  readonly id: string
  readonly tag: string
  readonly method: Operation['method']
  readonly path: string
  readonly summary: string
  readonly permission: Operation['permission']
  readonly request?: {
    readonly query?: z.ZodObject
    readonly body?: { required: boolean; content: { 'application/json': { schema: z.ZodType } } }
  }
  readonly answers: Readonly<Record<string, ResponseSpec>>
  readonly errors: readonly ErrorCode[]
}

interface ResponseSpec {
  readonly description: string
  content?: Record<string, { schema: z.ZodType }>
}

const text = z.string()
const AgentQuery = z.object({
  agent: text.optional().meta({ description: 'The agent to use, if the server has several.' }),
})
const JoinQuery = AgentQuery.extend({
  sessionId: SessionId.optional().meta({ description: 'An existing session to join.' }),
})

const json = (description: string, schema: z.ZodType): ResponseSpec => ({
  description,
  content: { 'application/json': { schema } },
})

/** For addresses whose success is not a 2xx status. */
const otherwise = {
  default: { description: 'Any other refusal', content: { 'application/problem+json': { schema: Problem } } },
}

const socket = (speaks: string): Readonly<Record<string, ResponseSpec>> => ({
  101: { description: `The connection becomes a WebSocket and uses ${speaks}.` },
  ...otherwise,
})

const socketErrors: readonly ErrorCode[] = ['request.upgrade-required']
const joinErrors: readonly ErrorCode[] = [
  ...socketErrors,
  'agent.not-found',
  'agent.unsandboxed',
  'config.invalid',
  'session.not-found',
]

const ChatModel = z
  .object({ id: text, name: text, provider: text, available: z.boolean(), reason: text.optional() })
  .meta({ id: 'ChatModel' })

const chatModels = (id: string, path: string): OtherAddress => ({
  id,
  tag: 'chat',
  method: 'get',
  path,
  permission: 'read',
  summary: 'The available models, as the chat socket names them',
  request: { query: AgentQuery },
  answers: { 200: json('Automatic selection first', z.array(ChatModel)) },
  errors: ['agent.not-found', 'config.invalid'],
})

const ClientConfig = z
  .looseObject({})
  .meta({
    id: 'ClaudeAgentServerConfig',
    description: 'As claude-agent-server accepts it; values that may be secrets are never returned.',
  })
const compat = '/compat/claude-agent-server'

export const otherAddresses: readonly OtherAddress[] = [
  {
    id: 'openSocket',
    tag: 'sockets',
    method: 'get',
    path: socketPath,
    permission: 'read',
    summary: 'The session API on one connection: JSON-RPC 2.0, any number of sessions',
    answers: socket(`\`${socketProtocol}\`: methods, notifications and requests as in docs/reference/sidecar.md`),
    errors: socketErrors,
  },
  {
    id: 'openChatSocket',
    tag: 'chat',
    method: 'get',
    path: '/ws/chat',
    permission: 'read',
    summary: 'The chat socket of the NetBox assistant; a new session needs `work`',
    request: { query: JoinQuery },
    answers: socket('chunks of JSON with `type`, `content`, `completed` and `metadata`'),
    errors: [...joinErrors, 'server.draining'],
  },
  chatModels('listChatModels', '/models'),
  chatModels('listChatApiModels', '/api/models'),
  {
    id: 'setClientConfig',
    tag: 'claude-agent-server',
    method: 'post',
    path: `${compat}/config`,
    permission: 'work',
    summary: 'Sets the configuration of the next connections of this key',
    request: { body: { required: true, content: { 'application/json': { schema: ClientConfig } } } },
    answers: {
      200: json(
        'The accepted settings, and those that were not applied',
        z.object({ success: z.literal(true), config: ClientConfig, notApplied: z.record(text, text).optional() }),
      ),
      400: json('In the format of claude-agent-server', z.object({ error: z.unknown() })),
    },
    errors: ['config.invalid'],
  },
  {
    id: 'getClientConfig',
    tag: 'claude-agent-server',
    method: 'get',
    path: `${compat}/config`,
    permission: 'read',
    summary: 'The configuration of this key',
    answers: { 200: json('The configuration, without secrets', z.object({ config: ClientConfig })) },
    errors: [],
  },
  {
    id: 'openClientSocket',
    tag: 'claude-agent-server',
    method: 'get',
    path: `${compat}/ws`,
    permission: 'work',
    summary: 'The socket of claude-agent-server: one session per connection',
    request: { query: JoinQuery },
    answers: socket('the messages of the Claude Agent SDK'),
    errors: [...joinErrors, 'server.draining'],
  },
  {
    id: 'metrics',
    tag: 'server',
    method: 'get',
    path: metricsPath,
    permission: 'read',
    summary: 'Metrics for Prometheus; those about sessions of all owners are for admins',
    answers: { 200: { description: 'Text format 0.0.4', content: { [metricsContentType]: { schema: text } } } },
    errors: [],
  },
  {
    id: 'openapi',
    tag: 'server',
    method: 'get',
    path: '/openapi.json',
    permission: 'read',
    summary: 'This document',
    answers: { 200: json('OpenAPI 3.1', z.looseObject({})) },
    errors: [],
  },
  {
    id: 'sandbox',
    tag: 'server',
    method: 'get',
    path: codeFramePath,
    permission: 'nothing',
    summary:
      'The document in which the workbench runs JavaScript of a model: it cannot load anything and contains no data',
    answers: { 200: { description: 'The same for every caller', content: { 'text/html': { schema: text } } } },
    errors: [],
  },
  {
    id: 'login',
    tag: 'server',
    method: 'get',
    path: '/login',
    permission: 'nothing',
    summary: 'Signs a browser in once, with the link that the server printed',
    request: { query: z.object({ code: text }) },
    answers: {
      303: { description: 'The workbench, with a cookie' },
      ...otherwise,
      401: { description: 'The link was used or is too old', content: { 'text/html': { schema: text } } },
    },
    errors: ['request.rate-limited'],
  },
]
