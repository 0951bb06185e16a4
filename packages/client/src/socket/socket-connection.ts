// One WebSocket with JSON-RPC on it: answers find their calls, everything else goes to who listens.

import { parseJson, QuarterdeckError, rpcErrorCodes } from '@quarterdeck/protocol'
import { z } from 'zod'
import { refusalOf } from '../http/refusal.ts'

/** What is used of a WebSocket: that of browsers, of Node from 22 on, and of the package `ws`. */
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
  /** A connection that says nothing for so long is taken for dead. */
  readonly silenceMs: number
  readonly onRequest: (connection: SocketConnection, request: RpcRequest) => void
  readonly onNotification: (connection: SocketConnection, notification: RpcNotification) => void
  /** It stood, and does no longer. */
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
  /** Resolves when it stands; rejects when it never will. */
  readonly opened: Promise<void>
  readonly isOver: () => boolean
  /**
   * Rejects with a `QuarterdeckError`: the server's, or `server.unreachable` when no answer can come any more.
   * `onResult` is called before anything behind the result is heard.
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
    'quarterdeck.v1',
    ...(options.token === undefined ? [] : [`quarterdeck.token.${options.token}`]),
  ])
  const pulse = setInterval(feel, Math.max(1, options.silenceMs / 3))

  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => {
      isOpen = true
      resolve()
    })
    // `close` follows; without a listener some take an error for a crash.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      reject(new Error('the connection was not opened'))
      end()
    })
  })
  opened.catch(() => undefined) // whoever waits for it hears of it; nobody has to

  function end(): void {
    if (isOver) return
    isOver = true
    clearInterval(pulse)
    for (const { reject } of waiting.values()) reject(unreachable(options.url))
    waiting.clear()
    if (isOpen) options.onLost(connection)
  }

  /** A connection can be dead without anybody saying so: who hears nothing asks. */
  function feel(): void {
    const silentMs = Date.now() - receivedAt
    if (silentMs >= options.silenceMs) return close()
    // Whatever it says is a sign of life; saying nothing ends it above.
    if (isOpen && silentMs >= options.silenceMs / 3) void call('server.info', {}).catch(() => undefined)
  }

  function close(): void {
    socket.close()
    end() // not when the other end has agreed: it may be gone
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
    if (message === undefined || isOver) return // not a message: nothing was asked, so nobody waits for it
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

/** Of the notification that an answer was refused. */
export function refusedError(params: unknown): QuarterdeckError {
  const { data } = Refused.safeParse(params)
  return data === undefined ? new QuarterdeckError('request.invalid', 'an answer was refused') : errorOf(data.error)
}

const unreachable = (url: string, cause?: unknown) =>
  new QuarterdeckError('server.unreachable', `no answer from ${url}`, { cause })

function errorOf({ code, message, data }: z.infer<typeof Failure>): QuarterdeckError {
  if (code === rpcErrorCodes.internal) return new QuarterdeckError('internal', message)
  const refusal = refusalOf(400, data)
  // Without a problem there is still the sentence.
  return refusal.facts.code === undefined ? new QuarterdeckError('request.invalid', message) : refusal
}
