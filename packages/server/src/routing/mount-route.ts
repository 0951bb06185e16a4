// Turns an operation of the contract into a handler: read, check, run once per idempotency key, answer.
import type { SessionService } from '@quarterdeck/engine'
import {
  type ErrorCode,
  type Principal,
  parseInput,
  QuarterdeckError,
  type Route,
  requireScope,
  type Scope,
} from '@quarterdeck/protocol'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { type Authentication, requireKey } from '../auth/authenticate.ts'
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

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

export interface RouteCall<One extends Route> {
  readonly params: Parsed<One['params']>
  readonly query: Parsed<One['query']>
  readonly body: Parsed<One['body']>
  /** The caller, as the log names it. */
  readonly by: string
  readonly scope: Scope
  /** The session service of the caller. Do not use it on a public route: the caller is unknown there. */
  readonly sessions: SessionService
  /** Seed for the ids of new objects if the request has an idempotency key: a retry gets the same ids. */
  readonly seed: string | undefined
}

type Caller = Pick<RouteCall<Route>, 'by' | 'scope' | 'sessions'>

type RouteInput<One extends Route> = Omit<RouteCall<One>, keyof Caller>

export type RouteHandler<One extends Route> = (call: RouteCall<One>) => Promise<z.input<One['reply']>>

export interface Mount extends Pick<Authentication, 'findKey'> {
  readonly app: Hono<AppEnv>
  readonly sessionsOf: (principal: Principal) => SessionService
  readonly idempotency: Idempotency
  readonly isDraining: () => boolean
}

export function mountRoute<One extends Route>(mount: Mount, route: One, handler: RouteHandler<NoInfer<One>>): void {
  mount.app.on(route.method.toUpperCase(), honoPath(route.path), async (c) => {
    requirePermission(c, route)
    // Only operations that start new work declare this error; deciding and stopping stay possible.
    if (route.errors.includes('server.draining')) refuseWhileDraining(mount.isDraining)
    const limit = route.takesImages === true ? maxBodyBytesWithImages : maxBodyBytes
    const text = route.method === 'get' ? '' : await readBody(c, limit)
    // A body, even an empty one, may arrive slowly.
    if (route.method !== 'get') await requireKey(c.get('key'), mount)
    const read = { ...readCall(c, route, text), ...caller(c, mount, route) }
    const isIdempotent = route.method !== 'get' && route.isKeyless !== true
    const key = !isIdempotent ? null : idempotencyKeyOf(c.req.header('idempotency-key'))
    // The reply is stored after the change. If the process crashes in between, the ids identify the change for a retry.
    const call = key === null ? read : { ...read, seed: [read.by, key, c.req.path, text].join('\n') }
    const execute = async () => ({ status: route.status, body: JSON.stringify(await handler(call)) })
    if (key === null) return sendText(c, { type: 'application/json', ...(await execute()) })
    const request = { principal: call.by, key, method: c.req.method, path: c.req.path, body: text }
    const outcome = await mount.idempotency.run(request, execute)
    if (outcome.isReplay) c.header('idempotent-replay', 'true')
    return sendText(c, { type: 'application/json', status: outcome.status, body: outcome.body })
  })
}

function caller(c: Context<AppEnv>, mount: Mount, { needs }: Route): Caller {
  const principal = needs === 'nothing' ? anonymous : c.get('principal')
  return { by: principal.name, scope: principal.scope, sessions: mount.sessionsOf(principal) }
}

const anonymous: Principal = { name: 'nobody', owner: 'nobody', scope: 'viewer', requestsPerMinute: null }

/** Throws `auth.forbidden` for a key whose scope is too small. */
export function requirePermission(c: Context<AppEnv>, { needs }: Pick<Route, 'needs'>): void {
  if (needs === 'nothing') return
  requireScope(c.get('principal').scope, needs)
}

export const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * The checked input of a call. Its types are those of the operation, which the compiler cannot follow through the
 * lookup.
 */
export function readCall<One extends Route>(c: Context<AppEnv>, route: One, text: string): RouteInput<One> {
  const params = route.params === undefined ? undefined : readParams(c, route.params)
  const query = route.query === undefined ? undefined : parseInput(route.query, readQuery(c), 'query')
  return {
    params,
    query,
    body: readRouteBody(c, route, text),
    seed: undefined,
  } as RouteInput<One>
}

function readRouteBody(c: Context<AppEnv>, route: Route, text: string): unknown {
  if (route.body instanceof z.ZodOptional && text.trim() === '') return undefined
  if (route.body !== undefined) {
    const value = parseJsonBody(text, c.req.header('content-type'))
    if (route.takesImages === true) limitBytesBesideImages(text, value)
    return parseInput(route.body, value, 'body')
  }
  if (!['', '{}'].includes(text.trim())) throw new QuarterdeckError('request.invalid', 'this address accepts no body')
  return undefined
}

const notFoundCodes: Readonly<Record<string, ErrorCode>> = {
  sessionId: 'session.not-found',
  approvalId: 'approval.not-found',
  questionId: 'question.not-found',
  callId: 'client-call.not-found',
  messageId: 'message.not-found',
  agentId: 'subagent.not-found',
  budgetId: 'budget.not-found',
  keyName: 'key.not-found',
  name: 'agent.not-found',
}

/** A malformed id gets the same response as an unknown one. */
function readParams(c: Context<AppEnv>, schema: z.ZodObject): unknown {
  const given = c.req.param()
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const name = String(parsed.error.issues[0]?.path[0] ?? '')
  const value = given[name] ?? ''
  throw new QuarterdeckError(notFoundCodes[name] ?? 'request.route-not-found', `there is no ${JSON.stringify(value)}`)
}

function readQuery(c: Context<AppEnv>): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (values.length > 1) throw new QuarterdeckError('request.invalid', `query.${name}: given more than once`)
    query[name] = values[0] ?? ''
  }
  return query
}
