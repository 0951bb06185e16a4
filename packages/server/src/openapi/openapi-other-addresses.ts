// What the application answers beside the routes of the contract: sockets, texts, and the addresses of foreign wires.
import { metricsContentType } from '@quarterdeck/engine'
import { type ErrorCode, type Route, SessionId } from '@quarterdeck/protocol'
import { z } from 'zod'
import { sandboxPath } from '../pages/sandbox-page.ts'
import { metricsPath } from '../routes/metrics.ts'
import { socketPath, socketProtocol } from '../routes/socket.ts'

export interface OtherAddress {
  /** `family.name`, as those of the routes. */
  readonly id: string
  readonly method: Route['method']
  readonly path: string
  readonly summary: string
  readonly needs: Route['needs']
  readonly request?: {
    readonly query?: z.ZodObject
    readonly body?: { required: boolean; content: { 'application/json': { schema: z.ZodType } } }
  }
  readonly answers: Readonly<Record<number, ResponseSpec>>
  readonly errors: readonly ErrorCode[]
}

interface ResponseSpec {
  readonly description: string
  content?: Record<string, { schema: z.ZodType }>
}

const text = z.string()
const AgentQuery = z.object({
  agent: text.optional().meta({ description: 'Which agent, where the server has several.' }),
})
const JoinQuery = AgentQuery.extend({
  sessionId: SessionId.optional().meta({ description: 'A session that is there, to join it.' }),
})

const json = (description: string, schema: z.ZodType): ResponseSpec => ({
  description,
  content: { 'application/json': { schema } },
})

const socket = (speaks: string): Readonly<Record<number, ResponseSpec>> => ({
  101: { description: `The connection goes on as a WebSocket and speaks ${speaks}.` },
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
  method: 'get',
  path,
  needs: 'read',
  summary: 'The models to choose from, as the chat socket knows them',
  request: { query: AgentQuery },
  answers: { 200: json('Automatic selection first', z.array(ChatModel)) },
  errors: ['agent.not-found', 'config.invalid'],
})

const ClientConfig = z.looseObject({}).meta({
  id: 'ClaudeAgentServerConfig',
  description: 'As claude-agent-server takes it; what is or may be a secret is never shown again.',
})
const compat = '/compat/claude-agent-server'

export const otherAddresses: readonly OtherAddress[] = [
  {
    id: 'sockets.native',
    method: 'get',
    path: socketPath,
    needs: 'read',
    summary: 'The session API on one connection: JSON-RPC 2.0, any number of sessions',
    answers: socket(`\`${socketProtocol}\`: methods, notifications and requests as in docs/reference/sidecar.md`),
    errors: socketErrors,
  },
  {
    id: 'chat.socket',
    method: 'get',
    path: '/ws/chat',
    needs: 'read',
    summary: 'The chat socket of the NetBox assistant; a new session needs `work`',
    request: { query: JoinQuery },
    answers: socket('chunks of JSON with `type`, `content`, `completed` and `metadata`'),
    errors: [...joinErrors, 'server.draining'],
  },
  chatModels('chat.models', '/models'),
  chatModels('chat.apiModels', '/api/models'),
  {
    id: 'claude-agent-server.setConfig',
    method: 'post',
    path: `${compat}/config`,
    needs: 'work',
    summary: 'How the next connection of this key is to work',
    request: { body: { required: true, content: { 'application/json': { schema: ClientConfig } } } },
    answers: {
      200: json(
        'What was taken, and what was not',
        z.object({ success: z.literal(true), config: ClientConfig, notApplied: z.record(text, text).optional() }),
      ),
      400: json('In the words of claude-agent-server', z.object({ error: z.unknown() })),
    },
    errors: ['config.invalid'],
  },
  {
    id: 'claude-agent-server.config',
    method: 'get',
    path: `${compat}/config`,
    needs: 'read',
    summary: 'What this key has set',
    answers: { 200: json('The configuration, without secrets', z.object({ config: ClientConfig })) },
    errors: [],
  },
  {
    id: 'claude-agent-server.socket',
    method: 'get',
    path: `${compat}/ws`,
    needs: 'work',
    summary: 'The socket of claude-agent-server: a session for each connection',
    request: { query: JoinQuery },
    answers: socket('the messages of the Claude Agent SDK'),
    errors: [...joinErrors, 'server.draining'],
  },
  {
    id: 'server.metrics',
    method: 'get',
    path: metricsPath,
    needs: 'read',
    summary: 'Numbers for Prometheus; those about the sessions of all owners for admins',
    answers: { 200: { description: 'Text format 0.0.4', content: { [metricsContentType]: { schema: text } } } },
    errors: [],
  },
  {
    id: 'server.openapi',
    method: 'get',
    path: '/openapi.json',
    needs: 'read',
    summary: 'This document',
    answers: { 200: json('OpenAPI 3.1', z.looseObject({})) },
    errors: [],
  },
  {
    id: 'server.sandbox',
    method: 'get',
    path: sandboxPath,
    needs: 'nothing',
    summary: 'The document that the workbench runs JavaScript of a model in: it may load nothing and tells nothing',
    answers: { 200: { description: 'The same for everybody', content: { 'text/html': { schema: text } } } },
    errors: [],
  },
  {
    id: 'server.login',
    method: 'get',
    path: '/login',
    needs: 'nothing',
    summary: 'Signs a browser in, once, with the link that the server printed',
    request: { query: z.object({ code: text }) },
    answers: {
      303: { description: 'The workbench, with a cookie' },
      401: { description: 'The link was used or is too old', content: { 'text/html': { schema: text } } },
    },
    errors: ['request.rate-limited'],
  },
]
