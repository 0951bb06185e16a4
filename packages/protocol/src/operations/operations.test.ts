import { expect, it } from 'vitest'
import { z } from 'zod'
import { rpcMethods } from '../rpc/rpc-methods.ts'
import type { Operation } from './operation.ts'
import { operationGroups, operations } from './operations.ts'
import { pathNames } from './path-ids.ts'

const groups = Object.values(operationGroups).flatMap((group) => Object.entries(group))

it('gives each operation its own name, address and JSON-RPC method', () => {
  const addresses = groups.map(([, { method, path }]) => `${method} ${path}`)
  expect(new Set(groups.map(([name]) => name)).size).toBe(groups.length)
  expect(new Set(addresses).size).toBe(groups.length)
  const methods = groups.flatMap(([, { rpc }]) => (rpc === null ? [] : [rpc]))
  expect(Object.keys(rpcMethods)).toEqual(methods)
  expect(new Set(methods).size).toBe(methods.length)
})

it('offers everything over JSON-RPC except health, readiness and the wire of analyses', () => {
  const without = groups.flatMap(([, { rpc, path }]) => (rpc === null ? [path] : []))
  expect(without.filter((path) => !path.startsWith('/api/'))).toEqual(['/health', '/ready'])
})

it('takes a body or a query, whose fields differ from the ids of the path', () => {
  for (const [name, { path, query, body }] of Object.entries<Operation>(operations)) {
    expect([name, query !== undefined && body !== undefined]).toEqual([name, false])
    // JSON-RPC passes all of them in one object.
    const fields = fieldsOf(query ?? body)
    for (const id of pathNames(path)) expect([name, fields.includes(id)]).toEqual([name, false])
  }
  expect(fieldsOf(operations.rewind.body)).toContain('messageId')
})

function fieldsOf(schema: Operation['body']): readonly string[] {
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap() as z.ZodType)
  if (schema === undefined) return []
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  throw new Error('an input is an object')
}

it('marks the JSON-RPC methods whose replies wait in memory for a slow reader', () => {
  const large = Object.entries<Operation>(rpcMethods).flatMap(([name, one]) => (one.hasLargeReply ? [name] : []))
  expect(large).toEqual([
    ...['session.list', 'session.get', 'session.capabilities', 'session.history', 'session.messages'],
    ...['session.events', 'session.approvals', 'session.questions', 'session.toolCalls'],
    ...['usage.get', 'inbox.list', 'queue.get', 'audit.list'],
  ])
  // Pages have a limit, and may be long.
  const pages = Object.entries<Operation>(rpcMethods).filter(([, { query }]) => query?.shape.limit !== undefined)
  expect(large).toEqual(expect.arrayContaining(pages.map(([name]) => name)))
})
