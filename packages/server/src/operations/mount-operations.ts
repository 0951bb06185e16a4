// Turns operations of the table into handlers: read, check, run once per idempotency key, answer.
import {
  type Implementations,
  implementationOf,
  type Operation,
  operations,
  type Principal,
  parseInput,
  pathNames,
  QuarterdeckError,
  requirePathId,
} from '@quarterdeck/protocol'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { type KeyLookup, requireKey } from '../auth/authenticate.ts'
import { requirePermission } from '../auth/require-permission.ts'
import type { AppEnv } from '../http/app-env.ts'
import {
  limitBytesBesideImages,
  maxBodyBytes,
  maxBodyBytesWithImages,
  parseJsonBody,
  readBody,
} from '../http/read-body.ts'
import { sendText } from '../http/send-text.ts'
import { type Idempotency, idempotencyKeyOf } from '../middleware/idempotency.ts'
import { refuseWhileDraining } from '../middleware/refuse-while-draining.ts'

export interface Mount {
  readonly app: Hono<AppEnv>
  readonly keys: KeyLookup
  readonly idempotency: Idempotency
  readonly isDraining: () => boolean
}

/** A request for an operation: permitted, read and checked. */
export interface OperationRequest<One extends Operation> extends Input<One> {
  readonly principal: Principal
  /** The ids of the path in its order. */
  readonly ids: readonly string[]
  readonly raw: Request
  /**
   * Runs a change once per idempotency key. Returns its result as JSON; for a repeated key, the stored result. From the
   * seed it makes the ids of new things, so that a retry after a crash makes the same things.
   */
  readonly once: (execute: (seed: string | undefined) => Promise<unknown>) => Promise<string>
}

/** Mounts every operation except those that stream. `operationsOf` returns them as a principal may use them. */
export function mountOperations(
  mount: Mount,
  operationsOf: (principal: Principal) => Implementations<typeof operations>,
): void {
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    if (operation.eventStream !== undefined) continue
    mountOperation(mount, operation, ({ principal, ids, query, body, once }) => {
      const input = bodyOrQuery(operation, { body, query })
      const run = implementationOf(operationsOf(principal), name)
      return once((seed) => run(...ids, ...input, ...(operation.method === 'get' ? [] : [principal.name, seed])))
    })
  }
}

function bodyOrQuery(operation: Operation, { body, query }: Input<Operation>): readonly unknown[] {
  if (operation.body !== undefined) return [body]
  return operation.query === undefined ? [] : [query]
}

/** `run` returns the reply as JSON. */
export function mountOperation<One extends Operation>(
  mount: Mount,
  operation: One,
  run: (request: OperationRequest<One>) => Promise<string>,
): void {
  const isRead = operation.method === 'get'
  mount.app.on(operation.method.toUpperCase(), honoPath(operation.path), async (c) => {
    requirePermission(c, operation)
    const key = isRead ? null : idempotencyKeyOf(c.req.header('idempotency-key'))
    const refuseNewWork = () => {
      if (operation.startsWork === true) refuseWhileDraining(mount.isDraining)
    }
    // With a key, the stored reply is returned even then.
    if (key === null) refuseNewWork()
    const text = isRead ? '' : await readBody(c, operation.takesImages === true ? maxBodyBytesWithImages : maxBodyBytes)
    // A body, even an empty one, may arrive slowly.
    if (!isRead) await requireKey(c.get('key'), mount.keys)
    const principal = operation.permission === 'nothing' ? anonymous : c.get('principal')
    const ids = readIds(c, operation)
    const input = readInput(c, operation, text)
    if (key !== null && operation.refusesIdempotencyKey !== undefined)
      throw invalid(`${c.req.method} ${operation.path} takes no idempotency key: ${operation.refusesIdempotencyKey}`)
    const status = operation.status ?? 200
    const once: OperationRequest<One>['once'] = async (execute) => {
      if (key === null) return JSON.stringify(await execute(undefined))
      const path = c.req.path + new URL(c.req.url).search
      const { name } = principal
      // The reply is stored after the change. If the process crashes in between, the ids identify the change for a retry.
      const seed = [name, key, path, text].join('\n')
      const request = { principal: name, key, method: c.req.method, path, body: text }
      const outcome = await mount.idempotency.run(request, async () => {
        refuseNewWork()
        return { status, body: JSON.stringify(await execute(seed)) }
      })
      if (outcome.isReplay) c.header('idempotent-replay', 'true')
      return outcome.body
    }
    const body = await run({ ...input, principal, ids, raw: c.req.raw, once })
    return sendText(c, { type: 'application/json', status, body })
  })
}

const anonymous: Principal = { name: 'nobody', owner: 'nobody', scope: 'viewer', requestsPerMinute: null }

const invalid = (detail: string) => new QuarterdeckError('request.invalid', detail)

export const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The ids of the path in its order. */
export const readIds = (c: Context<AppEnv>, { path }: Pick<Operation, 'path'>): readonly string[] =>
  pathNames(path).map((name) => {
    const given = c.req.param(name) ?? ''
    requirePathId(name, given)
    return given
  })

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

interface Input<One extends Operation> {
  readonly query: Parsed<One['query']>
  readonly body: Parsed<One['body']>
}

/** The checked query and body. Their types are those of the operation, as in `mountOperations`. */
export function readInput<One extends Operation>(c: Context<AppEnv>, operation: One, text: string): Input<One> {
  return { query: readOperationQuery(c, operation), body: readOperationBody(c, operation, text) } as Input<One>
}

const noQuery = z.strictObject({})

function readOperationQuery(c: Context<AppEnv>, operation: Operation): unknown {
  // Probes of load balancers add parameters of their own.
  if (operation.permission === 'nothing') return undefined
  const query = parseInput(operation.query ?? noQuery, readQuery(c), 'query')
  return operation.query === undefined ? undefined : query
}

function readOperationBody(c: Context<AppEnv>, operation: Operation, text: string): unknown {
  if (operation.body instanceof z.ZodOptional && text.trim() === '') return undefined
  if (operation.body !== undefined) {
    const value = parseJsonBody(text, c.req.header('content-type'))
    if (operation.takesImages === true) limitBytesBesideImages(text, value)
    return parseInput(operation.body, value, 'body')
  }
  if (!['', '{}'].includes(text.trim())) throw invalid('this address accepts no body')
  return undefined
}

function readQuery(c: Context<AppEnv>): Record<string, string> {
  // Not by assignment, which would drop a field called `__proto__` instead of refusing it.
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => {
      if (values.length > 1) throw invalid(`query.${name}: given more than once`)
      return [name, values[0] ?? '']
    }),
  )
}
