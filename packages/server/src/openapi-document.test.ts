import { apiRoutes, eventRoutes, messageRoutes, type Route } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openTestApp } from './app.fixture.ts'
import { buildOpenApiDocument } from './openapi-document.ts'

const Content = z.record(z.string(), z.object({ schema: z.looseObject({}) }))
const Operation = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  tags: z.array(z.string()).min(1),
  security: z.array(z.looseObject({})).optional(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']), required: z.boolean().optional() }))
    .default([]),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string().min(1), content: Content })),
})
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.enum(['get', 'post', 'patch', 'delete']), Operation.optional())),
  components: z.object({
    schemas: z.record(z.string(), z.looseObject({})),
    securitySchemes: z.record(z.string(), z.looseObject({})),
  }),
})

const text = JSON.stringify(buildOpenApiDocument('1.2.3'))
const document = Document.parse(JSON.parse(text))
const routes = Object.values(apiRoutes).flatMap((family): Route[] => Object.values(family))

const operationOf = (route: Route) => {
  const operation = document.paths[route.path]?.[route.method]
  if (operation === undefined) throw new Error(`${route.method} ${route.path} is not documented`)
  return operation
}

describe('the OpenAPI document', () => {
  it('lists every route of the contract and nothing else', () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => (operation === undefined ? [] : [`${method} ${path}`])),
    )
    expect(listed.sort()).toEqual(routes.map((route) => `${route.method} ${route.path}`).sort())
  })

  it('is about exactly what the application answers', async () => {
    const { app, close } = await openTestApp()
    onTestFinished(close)
    const besides = ['GET /openapi.json', 'GET /login', 'GET /*']
    const answered = app.routes
      .filter(({ method }) => method !== 'ALL') // layers and refusals
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    const documented = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(answered.sort()).toEqual([...documented, ...besides].sort())
  })

  it('resolves every reference it makes', () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(references.length).toBeGreaterThan(10)
    for (const name of references) expect(document.components.schemas).toHaveProperty(name)
  })

  it('names the schemas of the contract as components', () => {
    const names = [
      'CreateSession',
      'Applied',
      'SessionSnapshot',
      'SessionEvent',
      'EventPage',
      'Problem',
      'ApprovalList',
    ]
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names))
  })

  it('says which bodies may be left out', () => {
    const optional = routes.filter((route) => operationOf(route).requestBody?.required === false)
    expect(optional).toEqual([messageRoutes.promote])
  })

  it('declares every parameter of an address', () => {
    for (const route of routes) {
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = operationOf(route).parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath)
      for (const parameter of declared) expect(parameter.required).toBe(true)
    }
  })

  it('documents errors as problem+json and the event stream beside the page', () => {
    for (const route of routes) {
      const { responses } = operationOf(route)
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) expect(Object.keys(response.content)).toEqual(['application/problem+json'])
      }
      expect(responses[String(route.status)]?.content).toHaveProperty('application/json')
    }
    const stream = operationOf(eventRoutes.read)
    expect(stream.responses['200']?.content).toHaveProperty('text/event-stream')
    expect(stream.responses).toHaveProperty('412')
    expect(stream.parameters.map((parameter) => parameter.name)).toContain('Last-Event-ID')
  })

  it('says where too many requests and a disk that takes no writes are answered', () => {
    for (const route of routes) {
      const { responses } = operationOf(route)
      const isOpen = ['/health', '/ready'].includes(route.path)
      expect('429' in responses).toBe(!isOpen)
      const takesWrites = route.method !== 'get' || route.path === '/ready'
      expect(responses['503']?.description.includes('store.unavailable') ?? false).toBe(takesWrites)
    }
  })

  it('asks for the token everywhere but at the two doors that are open', () => {
    expect(document).toHaveProperty('security', [{ token: [] }])
    expect(document.components.securitySchemes.token).toMatchObject({ type: 'http', scheme: 'bearer' })
    const open = routes.filter((route) => operationOf(route).security?.length === 0).map((route) => route.path)
    expect(open.sort()).toEqual(['/health', '/ready'])
  })

  it('offers an idempotency key on every change, but where the reply is shown once', () => {
    for (const route of routes) {
      const names = operationOf(route).parameters.map((parameter) => parameter.name)
      expect(names.includes('Idempotency-Key')).toBe(route.method !== 'get' && route.isReplySecret !== true)
    }
  })
})
