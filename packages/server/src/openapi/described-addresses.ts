// Descriptions of the addresses outside of the table of operations.
import { metricsContentType } from '@quarterdeck/engine'
import { type ErrorCode, Problem, SessionId, socketProtocol } from '@quarterdeck/protocol'
import { z } from 'zod'
import { type Address, otherAddresses } from '../routes/other-addresses.ts'

export interface DescribedAddress extends Address {
  readonly tag: string
  readonly summary: string
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

const chatModels: Omit<DescribedAddress, keyof Address> = {
  tag: 'chat',
  summary: 'The available models, as the chat socket names them',
  request: { query: AgentQuery },
  answers: { 200: json('Automatic selection first', z.array(ChatModel)) },
  errors: ['agent.not-found', 'config.invalid'],
}

const ClientConfig = z
  .looseObject({})
  .meta({
    id: 'ClaudeAgentServerConfig',
    description: 'As claude-agent-server accepts it; values that may be secrets are never returned.',
  })

/** By `operationId`. */
export const describedAddresses: Readonly<Record<keyof typeof otherAddresses, DescribedAddress>> = {
  openSocket: {
    ...otherAddresses.openSocket,
    tag: 'sockets',
    summary: 'The session API on one connection: JSON-RPC 2.0, any number of sessions',
    answers: socket(`\`${socketProtocol}\`: methods, notifications and requests as in docs/reference/sidecar.md`),
    errors: socketErrors,
  },
  openChatSocket: {
    ...otherAddresses.openChatSocket,
    tag: 'chat',
    summary: 'The chat socket of the NetBox assistant; a new session needs `work`',
    request: { query: JoinQuery },
    answers: socket('chunks of JSON with `type`, `content`, `completed` and `metadata`'),
    errors: [...joinErrors, 'server.draining'],
  },
  listChatModels: { ...otherAddresses.listChatModels, ...chatModels },
  listChatApiModels: { ...otherAddresses.listChatApiModels, ...chatModels },
  setClientConfig: {
    ...otherAddresses.setClientConfig,
    tag: 'claude-agent-server',
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
  getClientConfig: {
    ...otherAddresses.getClientConfig,
    tag: 'claude-agent-server',
    summary: 'The configuration of this key',
    answers: { 200: json('The configuration, without secrets', z.object({ config: ClientConfig })) },
    errors: [],
  },
  openClientSocket: {
    ...otherAddresses.openClientSocket,
    tag: 'claude-agent-server',
    summary: 'The socket of claude-agent-server: one session per connection',
    request: { query: JoinQuery },
    answers: socket('the messages of the Claude Agent SDK'),
    errors: [...joinErrors, 'server.draining'],
  },
  metrics: {
    ...otherAddresses.metrics,
    tag: 'server',
    summary: 'Metrics for Prometheus; those about sessions of all owners are for admins',
    answers: { 200: { description: 'Text format 0.0.4', content: { [metricsContentType]: { schema: text } } } },
    errors: [],
  },
  openapi: {
    ...otherAddresses.openapi,
    tag: 'server',
    summary: 'This document',
    answers: { 200: json('OpenAPI 3.1', z.looseObject({})) },
    errors: [],
  },
  sandbox: {
    ...otherAddresses.sandbox,
    tag: 'server',
    summary:
      'The document in which the workbench runs JavaScript of a model: it cannot load anything and contains no data',
    answers: { 200: { description: 'The same for every caller', content: { 'text/html': { schema: text } } } },
    errors: [],
  },
  login: {
    ...otherAddresses.login,
    tag: 'server',
    summary: 'Signs a browser in once, with the link that the server printed',
    request: { query: z.object({ code: text }) },
    answers: {
      303: { description: 'The workbench, with a cookie' },
      ...otherwise,
      401: { description: 'The link was used or is too old', content: { 'text/html': { schema: text } } },
    },
    errors: ['request.rate-limited'],
  },
}
