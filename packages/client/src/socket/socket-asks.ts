// Answers the asks of the server. A handler runs once for each ask, even if the connection breaks meanwhile: the server
// repeats the ask on the next connection and gets the handler's result there.

import { rpcErrorCodes, rpcRequests } from '@quarterdeck/protocol'
import type { RpcAnswerOf, RpcAskOf, RpcRequestMethod } from './rpc-types.ts'
import type { RpcNotification, RpcRequest, SocketConnection } from './socket-connection.ts'

export type AskHandler<Method extends RpcRequestMethod> = (
  ask: RpcAskOf<Method>,
  /** Aborts when another client answered first, or when this client is closed. */
  signal: AbortSignal,
) => RpcAnswerOf<Method> | Promise<RpcAnswerOf<Method>>

interface Running {
  readonly stop: AbortController
  readonly answer: Promise<object>
  /** The answer goes to the latest connection that asked. */
  asked: { readonly connection: SocketConnection; readonly id: RpcRequest['id'] }
}

const kinds = { 'approval.request': 'approvals', 'question.ask': 'questions', 'tool.call': 'tools' } as const
/** Asks with unsent answers or endless handlers are bounded: the oldest are dropped. */
const maxRunning = 1000

export function createSocketAsks() {
  const handlers = new Map<string, (ask: never, signal: AbortSignal) => unknown>()
  const running = new Map<string, Running>()

  function begin(key: string, request: RpcRequest, connection: SocketConnection): void {
    const stop = new AbortController()
    const answer = answerOf(request, stop.signal)
    const one: Running = { stop, answer, asked: { connection, id: request.id } }
    running.set(key, one)
    for (const [oldest, { stop }] of running) {
      if (running.size <= maxRunning) break
      stop.abort()
      running.delete(oldest)
    }
    void answer.then(() => give(key, one))
  }

  async function answerOf({ method, params }: RpcRequest, signal: AbortSignal): Promise<object> {
    const handler = handlers.get(method)
    const request = Object.hasOwn(rpcRequests, method) ? rpcRequests[method as RpcRequestMethod] : undefined // checked above
    if (handler === undefined || request === undefined)
      return { error: { code: rpcErrorCodes.methodNotFound, message: method } }
    const ask = request.params.safeParse(params)
    if (!ask.success) return { error: { code: rpcErrorCodes.invalidParams, message: 'this ask cannot be read' } }
    try {
      return { result: await handler(ask.data as never, signal) } // the method's own handler: it was registered with it
    } catch (error) {
      return { error: { code: rpcErrorCodes.internal, message: error instanceof Error ? error.message : 'failed' } }
    }
  }

  /** Without a connection the answer waits for the server to repeat the ask. A dropped ask has no answer. */
  async function give(key: string, one: Running): Promise<void> {
    const { connection, id } = one.asked
    if (running.get(key) !== one || connection.isOver()) return
    running.delete(key)
    const answer = await one.answer
    try {
      connection.send({ jsonrpc: '2.0', id, ...answer })
    } catch {
      const error = { code: rpcErrorCodes.internal, message: 'the result of the handler is not JSON' }
      connection.send({ jsonrpc: '2.0', id, error })
    }
  }

  return {
    handle<Method extends RpcRequestMethod>(method: Method, handler: AskHandler<Method>) {
      handlers.set(method, handler)
    },
    /** The kinds of asks that this client handles, sent with each subscription. */
    handled: () => Object.entries(kinds).flatMap(([method, kind]) => (handlers.has(method) ? [kind] : [])),
    onRequest(connection: SocketConnection, request: RpcRequest): void {
      const key = keyOf(request)
      const known = running.get(key)
      if (known === undefined) return begin(key, request, connection)
      known.asked = { connection, id: request.id }
      void known.answer.then(() => give(key, known))
    },
    onNotification(connection: SocketConnection, { method, params }: RpcNotification) {
      if (method !== '$/cancelRequest') return
      for (const [key, { stop, asked }] of running) {
        if (asked.connection !== connection || asked.id !== idOf(params)) continue
        running.delete(key)
        stop.abort()
      }
    },
    close() {
      for (const { stop } of running.values()) stop.abort()
      running.clear()
    },
  }
}

/** Identifies an ask independently of its message id. */
function keyOf({ id, method, params }: RpcRequest): string {
  const { approvalId, questionId, callId } = { ...(params as Readonly<Record<string, unknown>>) } // checked below
  return `${method} ${String(approvalId ?? questionId ?? callId ?? id)}`
}

const idOf = (params: unknown): unknown =>
  typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
