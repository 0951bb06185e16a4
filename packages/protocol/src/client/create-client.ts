// The typed client, for Node and for the browser. Every change carries an idempotency key: a retry never does it twice.
import type { z } from 'zod'
import { approvalRoutes, type DecideApprovalBody, type ListApprovalsQuery } from '../api/approvals.ts'
import { type EventsQuery, eventRoutes } from '../api/events.ts'
import { messageRoutes, type SendMessageBody } from '../api/messages.ts'
import type { Route } from '../api/route.ts'
import { serverRoutes } from '../api/server-info.ts'
import { type CreateSessionBody, type ListSessionsQuery, sessionRoutes } from '../api/sessions.ts'
import { Problem, QuarterdeckError } from '../errors.ts'
import type { ApprovalId, SessionId } from '../ids.ts'
import { type FollowOptions, followSession } from './follow-session.ts'

export interface ClientOptions {
  /** Where the server listens, for example `http://127.0.0.1:4300`; empty for the page's own origin. */
  readonly baseUrl: string
  /** The access token; a browser that signed in sends its cookie instead. */
  readonly token?: string
  readonly fetch?: typeof fetch
}

interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis)
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }

  async function call<One extends Route>(route: One, input: CallInput = {}): Promise<z.infer<One['reply']>> {
    const isChange = route.method !== 'get'
    const response = await send(options.baseUrl + addressOf(route.path, input), {
      method: route.method.toUpperCase(),
      headers: {
        ...headers,
        accept: 'application/json',
        ...(isChange ? { 'idempotency-key': crypto.randomUUID() } : {}),
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    }).catch((cause: unknown) => {
      throw new QuarterdeckError('server.unreachable', `no answer from ${options.baseUrl || 'the server'}`, { cause })
    })
    const value: unknown = await response.json().catch(() => null)
    if (!response.ok) throw errorOf(response.status, value)
    // The reply's schema is the route's own; TypeScript cannot carry that through the generic lookup.
    return route.reply.parse(value) as z.infer<One['reply']>
  }

  return {
    createSession: (body: CreateSessionBody) => call(sessionRoutes.create, { body }),
    listSessions: (query: ListSessionsQuery = {}) =>
      call(sessionRoutes.list, { query: { ...query } as CallInput['query'] & {} }),
    getSession: (sessionId: SessionId) => call(sessionRoutes.get, { params: { sessionId } }),
    sendMessage: (sessionId: SessionId, body: SendMessageBody) =>
      call(messageRoutes.send, { params: { sessionId }, body }),
    interrupt: (sessionId: SessionId) => call(sessionRoutes.interrupt, { params: { sessionId } }),
    cancel: (sessionId: SessionId) => call(sessionRoutes.cancel, { params: { sessionId } }),
    close: (sessionId: SessionId) => call(sessionRoutes.close, { params: { sessionId } }),
    readEvents: (sessionId: SessionId, query: EventsQuery = {}) =>
      call(eventRoutes.read, { params: { sessionId }, query: { ...query } as CallInput['query'] & {} }),
    listApprovals: (query: ListApprovalsQuery = {}) => call(approvalRoutes.list, { query: { ...query } }),
    decideApproval: (approvalId: ApprovalId, body: DecideApprovalBody) =>
      call(approvalRoutes.decide, { params: { approvalId }, body }),
    listAgents: () => call(serverRoutes.agents),
    listModels: () => call(serverRoutes.models),
    serverInfo: () => call(serverRoutes.info),
    /** Every event after `after`, then live ones: no loss, no doubling, whatever the connection does. */
    follow: (sessionId: SessionId, follow: FollowOptions = {}) =>
      followSession(
        {
          open: (after, signal) =>
            send(options.baseUrl + addressOf(eventRoutes.read.path, { params: { sessionId } }), {
              headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(after) },
              cache: 'no-store',
              signal,
            }),
        },
        follow,
      ),
  }
}

function addressOf(path: string, input: CallInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ''))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? filled : `${filled}?${text}`
}

function errorOf(status: number, value: unknown): QuarterdeckError {
  const problem = Problem.safeParse(value)
  if (problem.success) return new QuarterdeckError(problem.data.code, problem.data.detail, { facts: problem.data })
  return new QuarterdeckError('internal', `the server answered ${status} without an explanation`)
}
