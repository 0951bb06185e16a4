import { expect, it } from 'vitest'
import { rpcMethods } from '../rpc/rpc-methods.ts'
import { type Operation, operation } from './operation.ts'
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
  if (schema === undefined) return []
  const written = schema.toJSONSchema({ io: 'input', unrepresentable: 'any' })
  // A schema with its own name is a reference to its definition.
  return Object.keys((written.$defs?.[written.$ref?.split('/').at(-1) ?? ''] ?? written).properties ?? {})
}

it('must say what it belongs to, and may only use known ids', () => {
  const about = { method: 'get', rpc: null, summary: '', status: 200, permission: 'read', errors: [] } as const
  const reply = operations.health.reply
  // @ts-expect-error: belongsTo is missing
  operation({ ...about, path: '/v1/things', reply })
  // @ts-expect-error: thingId is not declared in path-ids.ts
  operation({ ...about, path: '/v1/things/{thingId}', belongsTo: 'none', reply })
  expect(operation({ ...about, path: '/v1/things', belongsTo: 'none', reply }).path).toBe('/v1/things')
})
