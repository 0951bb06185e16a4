// The typed client, for Node and for the browser. It never tries a change again by itself: that is the caller's choice.
import type { z } from 'zod'
import { approvalRoutes, type DecideApprovalBody, type ListApprovalsQuery } from '../api/approvals.ts'
import { type EventsQuery, eventRoutes } from '../api/events.ts'
import { messageRoutes, type SendMessageBody } from '../api/messages.ts'
import type { Route } from '../api/route.ts'
import { serverRoutes } from '../api/server-info.ts'
import { type CreateSessionBody, type ListSessionsQuery, sessionRoutes } from '../api/sessions.ts'
import { QuarterdeckError } from '../errors.ts'
import type { ApprovalId, SessionId } from '../ids.ts'
import { type FollowOptions, followSession } from './follow-session.ts'
import { refusalOf } from './refusal.ts'

export interface ClientOptions {
  /** Where the server listens, for example `http://127.0.0.1:4300`; empty for the page's own origin. */
  readonly baseUrl: string
  /** The access token; a browser that signed in sends its cookie instead. */
  readonly token?: string
  readonly fetch?: typeof fetch
}

/** What every change takes beside its content. */
export interface ChangeOptions {
  /**
   * Names this change: sent again with the same key it happens once, and the answer is the first one. Kept by the
   * server for 24 hours. Without a key each call is a change of its own, so a caller that retries must pass one.
   */
  readonly key?: string
  readonly signal?: AbortSignal
}

interface CallInput extends ChangeOptions {
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
    const unanswered = (cause: unknown): never => {
      if (input.signal?.aborted === true) throw cause
      throw new QuarterdeckError('server.unreachable', `no answer from ${options.baseUrl || 'the server'}`, { cause })
    }
    const response = await send(options.baseUrl + addressOf(route.path, input), {
      method: route.method.toUpperCase(),
      headers: {
        ...headers,
        accept: 'application/json',
        ...(isChange ? { 'idempotency-key': input.key ?? crypto.randomUUID() } : {}),
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    }).catch(unanswered)
    // An answer that breaks off is none: whether the change was made is as unknown as without one.
    const value = parseJson(await response.text().catch(unanswered))
    if (!response.ok) throw refusalOf(response.status, value)
    const reply = route.reply.safeParse(value)
    // The reply's schema is the route's own; TypeScript cannot carry that through the generic lookup.
    if (reply.success) return reply.data as z.infer<One['reply']>
    const what = `what ${options.baseUrl || 'the server'} answered to ${route.method.toUpperCase()} ${route.path}`
    const detail = `${what} cannot be read: it is another version of Quarterdeck, or not Quarterdeck at all`
    throw new QuarterdeckError('internal', detail, { cause: reply.error })
  }

  return {
    createSession: (body: CreateSessionBody, change: ChangeOptions = {}) =>
      call(sessionRoutes.create, { body, ...change }),
    listSessions: (query: ListSessionsQuery = {}) =>
      call(sessionRoutes.list, { query: { ...query } as CallInput['query'] & {} }),
    getSession: (sessionId: SessionId) => call(sessionRoutes.get, { params: { sessionId } }),
    sendMessage: (sessionId: SessionId, body: SendMessageBody, change: ChangeOptions = {}) =>
      call(messageRoutes.send, { params: { sessionId }, body, ...change }),
    interrupt: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.interrupt, { params: { sessionId }, ...change }),
    cancel: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.cancel, { params: { sessionId }, ...change }),
    close: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.close, { params: { sessionId }, ...change }),
    readEvents: (sessionId: SessionId, query: EventsQuery = {}) =>
      call(eventRoutes.read, { params: { sessionId }, query: { ...query } as CallInput['query'] & {} }),
    listApprovals: (query: ListApprovalsQuery = {}) => call(approvalRoutes.list, { query: { ...query } }),
    decideApproval: (approvalId: ApprovalId, body: DecideApprovalBody, change: ChangeOptions = {}) =>
      call(approvalRoutes.decide, { params: { approvalId }, body, ...change }),
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // a proxy's own page, for example: the status says what it means
  }
}
