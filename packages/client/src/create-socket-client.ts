// The session API over one WebSocket: calls, any number of followed sessions, and asks of the server that this client
// answers. It connects on demand and reconnects after a loss. Like the HTTP client it never repeats a change.

import {
  type ClientChange,
  clientChangeOf,
  operations,
  QuarterdeckError,
  type RpcMethod,
  rpcMethods,
  type StreamedEvent,
  socketPath,
} from '@quarterdeck/protocol'
import type { ClientOptions } from './create-client.ts'
import { defaultSilenceMs } from './http/connection-silence.ts'
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
import type { FollowEventsOptions } from './streaming/follow-events.ts'

export interface SocketClientOptions extends ClientOptions {
  /** The platform's own by default. Node before 22 has none: pass the one of the package `ws`. */
  readonly WebSocket?: SocketConstructor
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

  function noteClient(change: ClientChange | null): void {
    if (change === null) return
    const { sessionId, clientId, isAttached } = change
    if (isAttached) clientIds.set(sessionId, clientId)
    else if (clientIds.get(sessionId) === clientId) clientIds.delete(sessionId)
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
    noteClient(clientChangeOf(method, params, reply.data))
    return reply.data as RpcReplyOf<Method> // the method's own schema, which TypeScript cannot carry through the lookup
  }

  return {
    call,
    /**
     * Yields every event after `after`, then live ones. Each arrives exactly once, through lost connections. A client
     * follows a session once; handlers are asked while it does.
     */
    follow: (sessionId: string, follow: FollowEventsOptions = {}): AsyncGenerator<StreamedEvent> =>
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
  const url = new URL(
    `${baseUrl.replace(/\/+$/, '')}${socketPath}`,
    baseUrl === '' ? globalThis.location.href : undefined,
  )
  url.protocol = url.protocol.replace(/^http/, 'ws')
  return url.href
}

function platformSocket(): SocketConstructor {
  if (globalThis.WebSocket !== undefined) return globalThis.WebSocket
  throw new QuarterdeckError('config.invalid', 'this platform has no WebSocket: pass the one of the package "ws"')
}
