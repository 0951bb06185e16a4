// The OpenAPI document: built from the routes of the contract and from nothing else, so that it cannot drift.
import { OpenAPIHono } from '@hono/zod-openapi'
import {
  apiRoutes,
  EphemeralEvent,
  type ErrorCode,
  errorKind,
  eventRoutes,
  Problem,
  type Route,
  SessionEvent,
  serverRoutes,
} from '@quarterdeck/protocol'
import { z } from 'zod'

const publicPaths: ReadonlySet<string> = new Set([serverRoutes.health.path, serverRoutes.ready.path])

export function buildOpenApiDocument(version: string): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono()
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'The access token in DATA/token. A browser that signed in with a login link sends a cookie instead.',
  })
  for (const [tag, routes] of Object.entries(apiRoutes)) {
    for (const [name, route] of Object.entries(routes)) registry.registerPath(describeRoute(route, tag, name))
  }
  return getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Quarterdeck',
      version,
      description: 'Run and supervise agents. Commands go in, events come out, and the log is the truth.',
      license: { name: 'MIT' },
    },
    security: [{ token: [] }],
  })
}

type RoutePath = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0]

function describeRoute(route: Route, tag: string, name: string): RoutePath {
  const { method, path, summary, params, query, body } = route
  const headers = requestHeaders(route)
  return {
    ...{ method, path, summary, tags: [tag], operationId: `${tag}.${name}` },
    ...(publicPaths.has(path) ? { security: [] } : {}),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: requestBody(body) }),
    },
    responses: {
      [route.status]: { description: summary, content: replyContent(route) },
      ...errorResponses(route),
    },
  }
}

const requestBody = (body: z.ZodType) => ({
  required: !(body instanceof z.ZodOptional),
  content: { 'application/json': { schema: body } },
})

function requestHeaders(route: Route): z.ZodObject | undefined {
  if (route.path === eventRoutes.read.path) {
    return z.object({ 'Last-Event-ID': z.string().optional().meta({ description: 'The last seq the reader has.' }) })
  }
  if (route.method === 'get' || route.isReplySecret === true) return undefined
  const description = 'The same key with the same request is answered from memory for 24 hours and done once.'
  return z.object({ 'Idempotency-Key': z.string().min(1).max(200).optional().meta({ description }) })
}

function replyContent(route: Route) {
  const json = { 'application/json': { schema: route.reply } }
  if (route.path !== eventRoutes.read.path) return json
  const description =
    'One event per message in `data:`. Events of the log carry their seq as `id:`; streamed text carries none.'
  return { ...json, 'text/event-stream': { schema: z.union([SessionEvent, EphemeralEvent]).meta({ description }) } }
}

/** What every route of a kind may answer, beside what the route itself names. */
function errorResponses(route: Route): RoutePath['responses'] {
  const always: readonly ErrorCode[] = publicPaths.has(route.path)
    ? ['auth.host-refused']
    : ['auth.required', 'auth.invalid', 'auth.host-refused', 'auth.origin-refused', 'request.rate-limited', 'internal']
  const changing: readonly ErrorCode[] = [
    ...(['request.idempotency-mismatch', 'request.too-large', 'request.invalid', 'store.unavailable'] as const),
  ]
  const withBody: readonly ErrorCode[] = ['request.invalid-json', 'request.unsupported-media-type']
  const codes = new Set<ErrorCode>([
    ...route.errors,
    ...always,
    ...(route.query === undefined ? [] : (['request.invalid'] as const)),
    ...(route.method === 'get' ? [] : changing),
    ...(route.body === undefined ? [] : withBody),
  ])
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
