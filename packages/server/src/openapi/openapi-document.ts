// The OpenAPI document, built from the operations of the contract and a few other addresses. A test compares it with
// the application.
import { OpenAPIHono } from '@hono/zod-openapi'
import {
  EphemeralEvent,
  type ErrorCode,
  errorKind,
  mayDo,
  type Operation,
  operationGroups,
  Problem,
  pathIds,
  pathNames,
  Scope,
  SessionEvent,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import { type DescribedAddress, describedAddresses } from './described-addresses.ts'
import { requestExamples } from './openapi-examples.ts'

type Registry = OpenAPIHono['openAPIRegistry']
type RoutePath = Parameters<Registry['registerPath']>[0]

export function buildOpenApiDocument(version: string): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono()
  registerSecurity(registry)
  for (const [tag, group] of Object.entries(operationGroups)) {
    for (const [name, operation] of Object.entries(group)) {
      registry.registerPath({ tags: [tag], operationId: name, ...describeOperation(operation, name) })
    }
  }
  for (const [id, address] of Object.entries(describedAddresses)) {
    registry.registerPath({ operationId: id, ...describeAddress(address) })
  }
  const document = getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Quarterdeck',
      version,
      description:
        'Run and supervise agents. Commands go in, events come out, and the event log is the source of truth.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/', description: 'The server that returned this document' }],
    security: [{ token: [] }, { cookie: [] }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
  })
  return JSON.parse(JSON.stringify(document), portable)
}

/**
 * Adapts schemas to client generators. A default in a body makes the field required in generated types, so it is
 * described in words. The flag `u` of a regular expression is not part of a JSON Schema pattern.
 */
function portable(name: string, value: unknown): unknown {
  if (name === 'pattern' && typeof value === 'string') return value.replace(/\/u$/, '')
  if (name !== 'properties' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, schema]) => [field, withoutDefault(schema)]))
}

function withoutDefault(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('default' in schema)) return schema
  const { default: value, ...rest } = schema
  return { description: `${JSON.stringify(value)} by default.`, ...rest }
}

/** A test compares these with the tags of the operations. */
const tagDescriptions: Readonly<Record<string, string>> = {
  sessions: 'Start, change, stop, fork, rewind and delete sessions',
  messages: 'Messages to a session, and its queue',
  events: 'The log of a session, as pages or as a stream',
  approvals: 'Tool calls that wait for a decision',
  questions: 'Questions of agents and MCP servers that wait for an answer',
  clients: 'Clients that run tools themselves',
  money: 'Usage, costs and budgets',
  oversight: 'What waits for a person or for capacity, and the audit chain',
  agents: 'The agents of this server, and changes of their files',
  keys: 'Keys and their permissions',
  server: 'This server: health, version, models, metrics, sign-in',
  analysis: 'Questions about tables in the browser',
  sockets: 'The API over a WebSocket',
  chat: 'The protocol of the NetBox assistant',
  'claude-agent-server': 'The protocol of claude-agent-server',
}

function registerSecurity(registry: Registry): void {
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key (`quarterdeck keys create`), or the access token in .quarterdeck/token, which grants everything. Sockets also accept it as the subprotocol `quarterdeck.token.TOKEN`.',
  })
  registry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: 'quarterdeck_4300',
    description:
      'The cookie of a browser that opened a login link; the number is the port. For pages of this origin only.',
  })
}

/** The scopes that may call the operation: as text for people and as data for programs. */
function accessOf(permission: Operation['permission']) {
  if (permission === 'nothing') {
    return { security: [], description: 'Needs no key.', 'x-quarterdeck-permission': permission }
  }
  const scopes = Scope.options.filter((scope) => mayDo(scope, permission))
  const who = scopes.length === Scope.options.length ? 'any key' : `a key with the scope ${scopes.join(', ')}`
  return {
    description: `Needs \`${permission}\`: ${who}.`,
    'x-quarterdeck-permission': permission,
    'x-quarterdeck-scopes': scopes,
  }
}

type Description = Omit<RoutePath, 'tags' | 'operationId'>

export function describeOperation(operation: Operation, name: string): Description {
  const { method, path, summary, rpc, query, body } = operation
  const headers = requestHeaders(operation)
  const ids = pathNames(path).map((id) => [id, pathIds[id].schema] as const)
  return {
    method,
    path,
    summary,
    ...accessOf(operation.permission),
    ...(rpc === null ? {} : { 'x-quarterdeck-rpc': rpc }),
    request: {
      ...(ids.length === 0 ? {} : { params: z.object(Object.fromEntries(ids)) }),
      ...(query === undefined ? {} : { query }),
      ...(Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) }),
      ...(body === undefined ? {} : { body: requestBody(body, name) }),
    },
    responses: {
      [operation.status ?? 200]: { description: summary, content: replyContent(operation) },
      ...errorResponses(codesOf(operation)),
    },
  }
}

function describeAddress({ tag, permission, answers, errors, request = {}, ...address }: DescribedAddress): RoutePath {
  const codes = new Set([...errors, ...commonCodes(permission)])
  return {
    ...address,
    tags: [tag],
    request,
    ...accessOf(permission),
    responses: { ...answers, ...errorResponses(codes) },
  }
}

const requestBody = (schema: z.ZodType, name: string) => ({
  required: !(schema instanceof z.ZodOptional),
  content: { 'application/json': { schema, ...(name in requestExamples ? { example: requestExamples[name] } : {}) } },
})

const takesKey = ({ method, refusesIdempotencyKey }: Operation): boolean =>
  method !== 'get' && refusesIdempotencyKey === undefined

const lastEventId = z.string().optional().meta({ description: 'The last event id that the reader has.' })

const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'The same key with the same request runs once; for 24 hours the stored reply is returned.' })

const requestHeaders = (operation: Operation): z.ZodRawShape => ({
  ...operation.requestHeaders,
  ...(operation.eventStream === undefined ? {} : { 'Last-Event-ID': lastEventId }),
  ...(takesKey(operation) ? { 'Idempotency-Key': idempotencyKey } : {}),
})

function replyContent(operation: Operation) {
  const json = { 'application/json': { schema: operation.reply } }
  if (operation.eventStream === undefined) return json
  const description =
    'One event per message in `data:`. Durable events carry their cursor as `id:`; streamed text has none.'
  if (operation.eventStream === 'only')
    return { 'text/event-stream': { schema: operation.reply.meta({ description }) } }
  return { ...json, 'text/event-stream': { schema: z.union([SessionEvent, EphemeralEvent]).meta({ description }) } }
}

const publicCodes: readonly ErrorCode[] = ['auth.host-refused', 'request.too-large']
const guardedCodes: readonly ErrorCode[] = [
  ...(['auth.required', 'auth.invalid', 'auth.forbidden', 'auth.origin-refused'] as const),
  ...(['request.rate-limited', 'internal'] as const),
]

/** Errors that every operation may return. */
const commonCodes = (permission: Operation['permission']): readonly ErrorCode[] =>
  permission === 'nothing' ? publicCodes : [...publicCodes, ...guardedCodes]

/** Errors of a kind of operation, in addition to those it declares. */
function codesOf(operation: Operation): ReadonlySet<ErrorCode> {
  const withBody: readonly ErrorCode[] = ['request.invalid-json', 'request.unsupported-media-type', 'request.timeout']
  return new Set<ErrorCode>([
    ...operation.errors,
    ...commonCodes(operation.permission),
    ...(operation.startsWork === true ? (['server.draining'] as const) : []),
    // At least for an unknown query parameter.
    ...(operation.permission === 'nothing' ? [] : (['request.invalid'] as const)),
    ...(operation.method === 'get' ? [] : (['store.unavailable'] as const)),
    ...(takesKey(operation) ? (['request.idempotency-mismatch'] as const) : []),
    ...(operation.body === undefined ? [] : withBody),
  ])
}

function errorResponses(codes: ReadonlySet<ErrorCode>): RoutePath['responses'] {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = errorKind(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries([...byStatus].map(([status, list]) => [status, problemResponse(list)]))
}

const problemResponse = (codes: readonly ErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${errorKind(code).title}`).join('. '),
  content: { 'application/problem+json': { schema: Problem } },
})
