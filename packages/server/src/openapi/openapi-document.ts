// The OpenAPI document, built from the operations of the contract and a few other addresses. A test compares it with
// the application.
import { OpenAPIHono } from '@hono/zod-openapi'
import {
  analyzeRoutes,
  apiRoutes,
  EphemeralEvent,
  type ErrorCode,
  errorKind,
  eventRoutes,
  mayDo,
  Problem,
  type Route,
  Scope,
  SessionEvent,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import { requestExamples } from './openapi-examples.ts'
import { type OtherAddress, otherAddresses } from './openapi-other-addresses.ts'

type Registry = OpenAPIHono['openAPIRegistry']
type RoutePath = Parameters<Registry['registerPath']>[0]

export function buildOpenApiDocument(version: string): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono()
  registerSecurity(registry)
  for (const [tag, routes] of Object.entries(apiRoutes)) {
    for (const [name, route] of Object.entries(routes)) registry.registerPath(describeRoute(route, `${tag}.${name}`))
  }
  for (const address of otherAddresses) registry.registerPath(describeAddress(address))
  return getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Quarterdeck',
      version,
      description:
        'Run and supervise agents. Commands go in, events come out, and the event log is the source of truth.',
      license: { name: 'MIT' },
    },
    security: [{ token: [] }, { cookie: [] }],
    tags: tagsOf().map((name) => ({ name })),
  })
}

const tagsOf = (): readonly string[] => [
  ...new Set([...Object.keys(apiRoutes), ...otherAddresses.map(({ id }) => tagOf(id))]),
]

const tagOf = (operationId: string): string => operationId.split('.')[0] ?? ''

function registerSecurity(registry: Registry): void {
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key (`quarterdeck keys create`), or the access token in DATA/token, which grants everything. Sockets also accept it as the subprotocol `quarterdeck.token.TOKEN`.',
  })
  registry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: 'quarterdeck_4300',
    description:
      'The cookie of a browser that opened a login link; the number is the port. For pages of this origin only.',
  })
}

/** Who may call: as text for people and as data for programs. */
function accessOf(needs: Route['needs']) {
  if (needs === 'nothing') return { security: [], description: 'Needs no key.', 'x-quarterdeck-needs': needs }
  const scopes = Scope.options.filter((scope) => mayDo(scope, needs))
  const who = scopes.length === Scope.options.length ? 'any key' : `a key with the scope ${scopes.join(', ')}`
  return { description: `Needs \`${needs}\`: ${who}.`, 'x-quarterdeck-needs': needs, 'x-quarterdeck-scopes': scopes }
}

function describeRoute(route: Route, id: string): RoutePath {
  const { method, path, summary, params, query, body } = route
  const headers = requestHeaders(route)
  return {
    method,
    path,
    summary,
    tags: [tagOf(id)],
    operationId: id,
    ...accessOf(route.needs),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers: z.object(headers) }),
      ...(body === undefined ? {} : { body: requestBody(body, id) }),
    },
    responses: {
      [route.status]: { description: summary, content: replyContent(route) },
      ...errorResponses(codesOf(route)),
    },
  }
}

function describeAddress({ id, needs, answers, errors, request = {}, ...address }: OtherAddress): RoutePath {
  const codes = new Set([...errors, ...commonCodes(needs)])
  return {
    ...address,
    tags: [tagOf(id)],
    operationId: id,
    request,
    ...accessOf(needs),
    responses: { ...answers, ...errorResponses(codes) },
  }
}

const requestBody = (schema: z.ZodType, id: string) => ({
  required: !(schema instanceof z.ZodOptional),
  content: {
    'application/json': { schema, ...(id in requestExamples ? { example: requestExamples[id] } : {}) },
  },
})

const takesKey = (route: Route): boolean => route.method !== 'get' && route.isKeyless !== true

function requestHeaders(route: Route): z.ZodRawShape | undefined {
  if (isStream(route)) {
    return { 'Last-Event-ID': z.string().optional().meta({ description: 'The last event id that the reader has.' }) }
  }
  if (route === analyzeRoutes.toolResult) return { 'X-Tool-Token': z.string() }
  if (!takesKey(route)) return undefined
  const description = 'The same key with the same request runs once; for 24 hours the stored reply is returned.'
  return { 'Idempotency-Key': z.string().min(1).max(200).optional().meta({ description }) }
}

const isStream = (route: Route): boolean => route === eventRoutes.read || route === analyzeRoutes.stream

function replyContent(route: Route) {
  const json = { 'application/json': { schema: route.reply } }
  if (!isStream(route)) return json
  const description =
    'One event per message in `data:`. Durable events carry their cursor as `id:`; streamed text has none.'
  if (route === analyzeRoutes.stream) return { 'text/event-stream': { schema: route.reply.meta({ description }) } }
  return { ...json, 'text/event-stream': { schema: z.union([SessionEvent, EphemeralEvent]).meta({ description }) } }
}

/** Errors that every operation may return. */
const commonCodes = (needs: Route['needs']): readonly ErrorCode[] => [
  ...(['auth.host-refused', 'request.too-large'] as const),
  ...(needs === 'nothing'
    ? []
    : ([
        ...(['auth.required', 'auth.invalid', 'auth.forbidden', 'auth.origin-refused'] as const),
        ...(['request.rate-limited', 'internal'] as const),
      ] as const)),
]

/** Errors of a kind of operation, in addition to those it declares. */
function codesOf(route: Route): ReadonlySet<ErrorCode> {
  const changing: readonly ErrorCode[] = ['request.invalid', 'store.unavailable']
  const withBody: readonly ErrorCode[] = ['request.invalid-json', 'request.unsupported-media-type', 'request.timeout']
  return new Set<ErrorCode>([
    ...route.errors,
    ...commonCodes(route.needs),
    ...(route.query === undefined ? [] : (['request.invalid'] as const)),
    ...(route.method === 'get' ? [] : changing),
    ...(takesKey(route) ? (['request.idempotency-mismatch'] as const) : []),
    ...(route.body === undefined ? [] : withBody),
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
