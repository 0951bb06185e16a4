// Splits the params of a JSON-RPC call into the path, the query and the body of its operation.

import { QuarterdeckError } from '../errors/quarterdeck-error.ts'
import type { Operation } from '../operations/operation.ts'
import { pathNames } from '../operations/path-ids.ts'
import { type RpcMethod, rpcMethods } from './rpc-methods.ts'

/** Throws `request.invalid`. The operation checks the body. */
export function callInputOf(method: RpcMethod, given: Readonly<Record<string, unknown>>) {
  const operation: Operation = rpcMethods[method]
  const { idempotencyKey, ...rest } = given
  const refusal = operation.method === 'get' ? 'it makes no change' : operation.refusesIdempotencyKey
  if (refusal !== undefined && idempotencyKey !== undefined)
    throw invalid('idempotencyKey', `${method} takes no idempotency key: ${refusal}`)
  const inPath = pathNames(operation.path) as readonly string[]
  const inQuery = Object.keys(operation.query?.shape ?? {})
  const params = Object.fromEntries(inPath.map((name) => [name, segmentOf(name, rest[name])]))
  const query = Object.fromEntries(
    inQuery
      .filter((name) => rest[name] !== undefined)
      .map((name) => [name, textOf(name, rest[name], ['string', 'number', 'boolean'])]),
  )
  const others = Object.entries(rest).filter(([name]) => !inPath.includes(name) && !inQuery.includes(name))
  const unknown = operation.body === undefined ? others.find(([, value]) => value !== undefined) : undefined
  if (unknown !== undefined) throw invalid(unknown[0], `${method} has no such parameter`)
  return {
    params,
    query,
    /** `undefined` if the operation takes none. */
    body: operation.body === undefined ? undefined : Object.fromEntries(others),
    idempotencyKey: idempotencyKey === undefined ? undefined : keyOf(idempotencyKey),
  }
}

/** Empty and dot segments would name another address. */
function segmentOf(name: string, value: unknown): string {
  const text = textOf(name, value, ['string'])
  if (/^\.{0,2}$/.test(text)) throw invalid(name, 'must be an id')
  return text
}

function textOf(name: string, value: unknown, types: readonly string[]): string {
  if (types.includes(typeof value)) return String(value)
  throw invalid(name, value === undefined ? 'is missing' : `must be a ${types.join(' or a ')}`)
}

function keyOf(value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value)) return value
  throw invalid('idempotencyKey', 'must be 1 to 200 visible ASCII characters')
}

function invalid(name: string, message: string): QuarterdeckError {
  const path = `params.${name}`
  return new QuarterdeckError('request.invalid', `${path}: ${message}`, { facts: { issues: [{ path, message }] } })
}
