// One WebSocket with JSON-RPC: responses go to their calls, all other messages to the listener.

import { parseJson, QuarterdeckError, rpcErrorCodes, socketProtocol, tokenProtocolPrefix } from '@quarterdeck/protocol'
import { z } from 'zod'
import { explainedRefusal } from '../http/refusal.ts'

/** The part of a WebSocket that is used. Browsers, Node from 22 on and the package `ws` have it. */
export interface SocketLike {
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike

export interface ConnectionOptions {
  readonly url: string
  readonly token: string | undefined
  readonly WebSocket: SocketConstructor
  /** A connection without any message for this long is considered lost. */
  readonly silenceMs: number
  readonly onRequest: (connection: SocketConnection, request: RpcRequest) => void
  readonly onNotification: (connection: SocketConnection, notification: RpcNotification) => void
  /** Called when an open connection has closed. */
  readonly onLost: (connection: SocketConnection) => void
}

export interface RpcNotification {
  readonly method: string
  readonly params: unknown
}

export interface RpcRequest extends RpcNotification {
  readonly id: string | number
}

export interface SocketConnection {
  /** Resolves when the connection is open; rejects when it cannot be opened. */
  readonly opened: Promise<void>
  readonly isOver: () => boolean
  /**
   * Rejects with the `QuarterdeckError` of the server, or with `server.unreachable` if no response can arrive.
   * `onResult` is called before any message behind the result is processed.
   */
  call(method: string, params: object, onResult?: () => void): Promise<unknown>
  send(message: object): void
  close(): void
}

const Failure = z.object({ code: z.number(), message: z.string(), data: z.unknown() })
const Refused = z.object({ error: Failure })

const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  error: Failure.optional(),
})

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: QuarterdeckError) => void
}

export function connectSocket(options: ConnectionOptions): SocketConnection {
  const waiting = new Map<string | number, Waiting>()
  let count = 0
  let isOpen = false
  let isOver = false
  let receivedAt = Date.now()
  const socket = new options.WebSocket(options.url, [
    socketProtocol,
    ...(options.token === undefined ? [] : [tokenProtocolPrefix + options.token]),
  ])
  const silenceCheck = setInterval(checkSilence, Math.max(1, options.silenceMs / 3))

  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => {
      isOpen = true
      resolve()
    })
    // `close` follows. Without a listener, some implementations treat the error as a crash.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      reject(new Error('the connection was not opened'))
      end()
    })
  })
  opened.catch(() => undefined) // callers that wait for it handle the rejection; others need not

  function end(): void {
    if (isOver) return
    isOver = true
    clearInterval(silenceCheck)
    for (const { reject } of waiting.values()) reject(unreachable(options.url))
    waiting.clear()
    if (isOpen) options.onLost(connection)
  }

  /** A lost connection may give no sign: after a silence this end sends a ping. */
  function checkSilence(): void {
    const silentMs = Date.now() - receivedAt
    if (silentMs >= options.silenceMs) return close()
    // Any message shows that the connection is alive; silence ends it above.
    if (isOpen && silentMs >= options.silenceMs / 3) void call('server.info', {}).catch(() => undefined)
  }

  function close(): void {
    socket.close()
    end() // without waiting for the other end, which may be gone
  }

  const call: SocketConnection['call'] = (method, params, onResult) =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(unreachable(options.url))
      count += 1
      const id = count
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const settle = (result: unknown) => {
        onResult?.()
        resolve(result)
      }
      waiting.set(id, { resolve: settle, reject })
      try {
        socket.send(text)
      } catch (cause) {
        waiting.delete(id)
        reject(unreachable(options.url, cause))
      }
    })

  const connection: SocketConnection = {
    opened,
    call,
    close,
    isOver: () => isOver,
    send(message) {
      if (!isOver) socket.send(JSON.stringify(message))
    },
  }

  socket.addEventListener('message', ({ data }) => {
    receivedAt = Date.now()
    const { data: message } = Message.safeParse(parseJson(String(data)))
    if (message === undefined || isOver) return // not a message, and no call waits for it
    const { id, method, params } = message
    if (method !== undefined && id != null) return options.onRequest(connection, { id, method, params })
    if (method !== undefined) return options.onNotification(connection, { method, params })
    const call = id == null ? undefined : waiting.get(id)
    if (id == null || call === undefined) return
    waiting.delete(id)
    if (message.error === undefined) call.resolve(message.result)
    else call.reject(errorOf(message.error))
  })

  return connection
}

/** The notification that an answer was refused. */
export function refusedError(params: unknown): QuarterdeckError {
  const { data } = Refused.safeParse(params)
  return data === undefined ? new QuarterdeckError('request.invalid', 'an answer was refused') : errorOf(data.error)
}

const unreachable = (url: string, cause?: unknown) =>
  new QuarterdeckError('server.unreachable', `no answer from ${url}`, { cause })

function errorOf({ code, message, data }: z.infer<typeof Failure>): QuarterdeckError {
  if (code === rpcErrorCodes.internal) return new QuarterdeckError('internal', message)
  // Without a problem document there is still the message.
  return explainedRefusal(400, data) ?? new QuarterdeckError('request.invalid', message)
}
