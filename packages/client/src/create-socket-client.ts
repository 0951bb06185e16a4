// The session API over one WebSocket: calls, any number of followed sessions, and asks of the server that this client
// answers. It connects on demand and reconnects after a loss. Like the HTTP client it never repeats a change.

import type { StreamedEvent } from '@quarterdeck/protocol'
import { operations, QuarterdeckError, type RpcMethod, rpcMethods } from '@quarterdeck/protocol'
import { z } from 'zod'
import { isFinalStatus, refusalOf } from './http/refusal.ts'
import type { RpcParamsOf, RpcReplyOf, RpcRequestMethod } from './socket/rpc-types.ts'
import { type AskHandler, createSocketAsks } from './socket/socket-asks.ts'
import {
  connectSocket,
  refusedError,
  type SocketConnection,
  type SocketConstructor,
} from './socket/socket-connection.ts'
import { createSocketEvents } from './socket/socket-events.ts'
import type { FollowOptions } from './streaming/follow-events.ts'

export interface SocketClientOptions {
  /** The address of the server, for example `http://127.0.0.1:4300`; empty for the page's own origin. */
  readonly baseUrl: string
  /** The access token. A browser with a login cookie needs none. */
  readonly token?: string
  /** The platform's own by default. Node before 22 has none: pass the one of the package `ws`. */
  readonly WebSocket?: SocketConstructor
  readonly fetch?: typeof fetch
  /** A connection without any message for this long is considered lost. */
  readonly silenceMs?: number
  /**
   * Called when the server refused the answer of a handler, for example because the key may not decide. The ask is
   * still open.
   */
  readonly onRefused?: (error: QuarterdeckError) => void
}

export interface CallOptions {
  /** Makes the change idempotent, as in the HTTP client. */
  readonly key?: string
}

type CallArguments<Method extends RpcMethod> =
  Record<never, never> extends RpcParamsOf<Method>
    ? [params?: RpcParamsOf<Method>, options?: CallOptions]
    : [params: RpcParamsOf<Method>, options?: CallOptions]

export type SocketClient = ReturnType<typeof createSocketClient>

export function createSocketClient(options: SocketClientOptions) {
  const asks = createSocketAsks()
  /** The client id of this connection in each session. Sent again to every new connection. */
  const clientIds = new Map<string, string>()
  let current: SocketConnection | null = null
  let isClosed = false
  const events = createSocketEvents({ connect, subscriptionOptions, isClosed: () => isClosed })

  function subscriptionOptions(sessionId: string) {
    const clientId = clientIds.get(sessionId)
    return { handles: asks.handled(), ...(clientId === undefined ? {} : { clientId }) }
  }

  /** The open connection, or a new one. */
  async function connect(): Promise<SocketConnection> {
    if (isClosed) throw new QuarterdeckError('server.unreachable', 'this client is closed')
    if (current === null || current.isOver()) {
      current = connectSocket({
        url: socketUrl(options.baseUrl),
        token: options.token,
        WebSocket: options.WebSocket ?? platformSocket(),
        silenceMs: options.silenceMs ?? defaultSilenceMs,
        onRequest: asks.onRequest,
        onNotification(connection, notification) {
          if (notification.method === 'request.refused') options.onRefused?.(refusedError(notification.params))
          asks.onNotification(connection, notification)
          if (connection === current) events.onNotification(notification)
        },
        onLost: events.onLost,
      })
    }
    const connection = current
    await connection.opened.catch(async (cause: unknown) => {
      await explain(options)
      throw new QuarterdeckError('server.unreachable', `no answer from ${options.baseUrl || 'the server'}`, { cause })
    })
    return connection
  }

  async function call<Method extends RpcMethod>(
    method: Method,
    ...[params, { key } = {}]: CallArguments<Method>
  ): Promise<RpcReplyOf<Method>> {
    const connection = await connect()
    const value = await connection.call(method, {
      ...(params as object | undefined),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    })
    const reply = rpcMethods[method].reply.safeParse(value)
    if (!reply.success) {
      throw new QuarterdeckError('internal', `the answer to ${method} cannot be read`, { cause: reply.error })
    }
    noteClient(clientIds, { method, params, reply: reply.data })
    return reply.data as RpcReplyOf<Method> // the method's own schema, which TypeScript cannot carry through the lookup
  }

  return {
    call,
    /**
     * Yields every event after `after`, then live ones. Each arrives exactly once, through lost connections. A client
     * follows a session once; handlers are asked while it does.
     */
    follow: (sessionId: string, follow: FollowOptions = {}): AsyncGenerator<StreamedEvent> =>
      events.follow(sessionId, follow),
    /** Answers asks of the sessions that are followed from now on. One handler for each kind. */
    handle: <Method extends RpcRequestMethod>(method: Method, handler: AskHandler<Method>): void =>
      asks.handle(method, handler),
    /** Closes the connection: calls reject, and followed sessions end with `server.unreachable`. */
    close(): void {
      isClosed = true
      asks.close()
      current?.close()
    },
  }
}

const defaultSilenceMs = 45_000

interface NotedCall {
  readonly method: RpcMethod
  readonly params: unknown
  readonly reply: unknown
}

const WithClient = z.object({ client: z.object({ clientId: z.string() }) })
const OfClient = z.object({ sessionId: z.string(), clientId: z.string() })
const OfSession = z.object({ sessionId: z.string() })

function noteClient(clientIds: Map<string, string>, { method, params, reply }: NotedCall): void {
  if (method === 'session.start') {
    const clientId = WithClient.safeParse(params).data?.client.clientId
    const sessionId = OfSession.safeParse(reply).data?.sessionId
    if (clientId !== undefined && sessionId !== undefined) clientIds.set(sessionId, clientId)
  }
  if (method !== 'session.attach' && method !== 'session.detach') return
  const { data } = OfClient.safeParse(params)
  if (data === undefined) return
  if (method === 'session.attach') clientIds.set(data.sessionId, data.clientId)
  else if (clientIds.get(data.sessionId) === data.clientId) clientIds.delete(data.sessionId)
}

/** A refused WebSocket gives no reason, but a plain request does. Returns if there is no reason to report. */
async function explain({
  baseUrl,
  token,
  fetch = globalThis.fetch.bind(globalThis),
}: SocketClientOptions): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(baseUrl + operations.serverInfo.path, { headers }).catch(() => null)
  if (response === null || !isFinalStatus(response.status)) return
  throw refusalOf(response.status, await response.json().catch(() => null))
}

function socketUrl(baseUrl: string): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/v1/ws`, baseUrl === '' ? globalThis.location.href : undefined)
  url.protocol = url.protocol.replace(/^http/, 'ws')
  return url.href
}

function platformSocket(): SocketConstructor {
  if (globalThis.WebSocket !== undefined) return globalThis.WebSocket
  throw new QuarterdeckError('config.invalid', 'this platform has no WebSocket: pass the one of the package "ws"')
}
