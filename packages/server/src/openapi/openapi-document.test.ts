import { analysisOperations, type Operation, operationGroups, operations, Scope } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openTestApp } from '../app/app.fixture.ts'
import { describedAddresses } from './described-addresses.ts'
import { buildOpenApiDocument, describeOperation } from './openapi-document.ts'
import { requestExamples } from './openapi-examples.ts'

const Content = z.record(z.string(), z.object({ schema: z.looseObject({}), example: z.unknown().optional() }))
const Described = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().min(1),
  tags: z.array(z.string()).length(1),
  security: z.array(z.looseObject({})).optional(),
  'x-quarterdeck-permission': z.enum(['read', 'work', 'decide', 'manage', 'nothing']),
  'x-quarterdeck-rpc': z.string().optional(),
  'x-quarterdeck-scopes': z.array(Scope).min(1).optional(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().optional(),
        schema: z.looseObject({}),
      }),
    )
    .default([]),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^(\d{3}|default)$/),
    z.strictObject({ description: z.string().min(1), content: Content.default({}) }),
  ),
})
const Document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  security: z.array(z.record(z.string(), z.array(z.never()))),
  servers: z.array(z.object({ url: z.literal('/'), description: z.string() })).length(1),
  tags: z.array(z.object({ name: z.string(), description: z.string().min(1) })),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'patch', 'delete']), Described.optional()),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), z.looseObject({})),
    parameters: z.looseObject({}).optional(),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.enum(['http', 'apiKey']) })),
  }),
  webhooks: z.looseObject({}).optional(),
})

const text = JSON.stringify(buildOpenApiDocument('1.2.3'))
const document = Document.parse(JSON.parse(text))
const table = Object.values(operationGroups).flatMap((group) => Object.values(group))
const described = [...table, ...Object.values(describedAddresses)]
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation === undefined ? [] : [{ address: `${method.toUpperCase()} ${path}`, path, ...operation }],
  ),
)

const operationOf = (route: Pick<Operation, 'method' | 'path'>) => {
  const operation = document.paths[route.path]?.[route.method]
  if (operation === undefined) throw new Error(`${route.method} ${route.path} is not documented`)
  return operation
}

describe('the OpenAPI document', () => {
  it('lists exactly the addresses that the application serves', async () => {
    const { app, close } = await openTestApp()
    onTestFinished(close)
    const answered = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/*') // middleware, fallbacks and the files of the workbench
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(documented.map(({ address }) => address).sort()).toEqual(answered.sort())
  })

  it('resolves every reference, and defines each component once', () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(references.length).toBeGreaterThan(10)
    for (const name of references) expect(document.components.schemas).toHaveProperty([name])
    const ids = documented.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map(({ name }) => name)
    expect(new Set(documented.flatMap(({ tags: own }) => own))).toEqual(new Set(tags))
  })

  it('names the schemas of the contract as components', () => {
    const names = [
      ...['CreateSession', 'Applied', 'SessionSnapshot', 'SessionEvent', 'EventPage', 'Problem', 'ApprovalList'],
      ...['CreateKey', 'ChatModel'],
    ]
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names))
  })

  it('marks optional bodies', () => {
    const optional = table.filter((route) => operationOf(route).requestBody?.required === false)
    expect(optional).toEqual([operations.promoteMessage])
  })

  it('declares every parameter of an address', () => {
    for (const { path, parameters } of documented) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath)
      for (const parameter of declared) expect(parameter.required).toBe(true)
    }
  })

  it('documents errors as problem+json, and streams with their media type', () => {
    for (const route of table) {
      const { responses } = operationOf(route)
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) expect(Object.keys(response.content)).toEqual(['application/problem+json'])
      }
      const types = Object.keys(responses[String(route.status ?? 200)]?.content ?? {})
      const json = route === analysisOperations.streamAnalysis ? [] : ['application/json']
      const stream =
        route === analysisOperations.streamAnalysis || route === operations.readEvents ? ['text/event-stream'] : []
      expect(types).toEqual([...json, ...stream])
      expect(operationOf(route).parameters.some(({ name }) => name === 'Last-Event-ID')).toBe(stream.length > 0)
    }
    expect(operationOf(operations.readEvents).responses).toHaveProperty('412')
  })

  it('lists every error code that an operation declares', () => {
    for (const route of described) {
      const descriptions = Object.values(operationOf(route).responses).map(({ description }) => description)
      for (const code of route.errors) expect(descriptions.join('\n')).toContain(`\`${code}\``)
    }
  })

  it('lists where rate limits and an unwritable disk are reported', () => {
    for (const route of table) {
      const { responses } = operationOf(route)
      const isOpen = ['/health', '/ready'].includes(route.path)
      expect('429' in responses).toBe(!isOpen)
      const takesWrites = route.method !== 'get' || route.path === '/ready'
      expect(responses['503']?.description.includes('store.unavailable') ?? false).toBe(takesWrites)
    }
  })

  it('requires a token or a cookie everywhere except at public addresses', () => {
    expect(document.security).toEqual([{ token: [] }, { cookie: [] }])
    expect(document.components.securitySchemes).toMatchObject({
      token: { type: 'http', scheme: 'bearer' },
      cookie: { type: 'apiKey', in: 'cookie' },
    })
    const open = documented.filter(({ security }) => security?.length === 0).map(({ path }) => path)
    expect(open.sort()).toEqual(['/health', '/login', '/ready', '/sandbox.html'])
  })

  it('describes the required scope, as text and as data', () => {
    for (const route of described) {
      const operation = operationOf(route)
      expect(operation['x-quarterdeck-permission']).toBe(route.permission)
      expect(operation.description).toContain(route.permission === 'nothing' ? 'no key' : `\`${route.permission}\``)
      expect('403' in operation.responses).toBe(true)
    }
    expect(operationOf(operations.createKey)['x-quarterdeck-scopes']).toEqual(['admin'])
    expect(operationOf(operations.decideApproval)['x-quarterdeck-scopes']).toEqual(['admin', 'operator'])
  })

  it('offers an idempotency key on changes whose reply may be repeated', () => {
    for (const route of table) {
      const names = operationOf(route).parameters.map((parameter) => parameter.name)
      const takesKey = route.method !== 'get' && route.refusesIdempotencyKey === undefined
      expect([route.path, names.includes('Idempotency-Key')]).toEqual([route.path, takesKey])
    }
    const refusing = table.filter(({ refusesIdempotencyKey }) => refusesIdempotencyKey !== undefined)
    expect(refusing).toEqual([operations.createKey])
    const names = operationOf(analysisOperations.returnToolResult).parameters.map((parameter) => parameter.name)
    expect(names).toEqual(['X-Tool-Token', 'Idempotency-Key'])
  })

  it('documents the headers of an operation that also streams', () => {
    const requestHeaders = { 'X-Trace': z.string() }
    const { request } = describeOperation({ ...operations.readEvents, requestHeaders }, 'readEvents')
    expect(request?.headers).toHaveProperty('shape', { ...requestHeaders, 'Last-Event-ID': expect.anything() })
  })

  it('lists server.draining for exactly the operations that start work, and for readiness', () => {
    const draining = table.filter((route) => operationOf(route).responses['503']?.description.includes('draining'))
    expect(draining).toEqual(table.filter((route) => route.startsWork === true || route === operations.ready))
    expect(draining).toContain(operations.sendMessage)
  })

  it('marks sockets, and gives examples that match its own schemas', () => {
    const sockets = documented.filter(({ responses }) => '101' in responses)
    expect(sockets.map(({ path }) => path).sort()).toEqual(['/compat/claude-agent-server/ws', '/v1/ws', '/ws/chat'])
    for (const { responses } of sockets) expect(responses).toHaveProperty('426')
    const shown = documented.filter(
      ({ requestBody }) => requestBody?.content['application/json']?.example !== undefined,
    )
    expect(shown.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(requestExamples).sort())
    for (const [name, { body }] of Object.values(operationGroups).flatMap((group) => Object.entries(group))) {
      const example = requestExamples[name]
      if (example !== undefined) expect(body?.safeParse(example).error).toBeUndefined()
    }
  })
})
