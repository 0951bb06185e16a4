// Answers the messages of the peer.
import type { Logger } from '@quarterdeck/engine'
import {
  type ErrorCode,
  isQuarterdeckError,
  type Operation,
  type RpcMethod,
  rpcErrorCodes,
  rpcMethods,
} from '@quarterdeck/protocol'
import type { OpenRequests } from './open-requests.ts'
import type { OwnClients } from './own-clients.ts'
import type { RpcId, RpcMessage, RpcParams } from './read-message.ts'
import { type RpcError, rpcErrorOf } from './rpc-error.ts'
import type { RpcHost } from './rpc-host.ts'
import { createSerialQueues } from './serial-queues.ts'
import type { Subscriptions } from './subscriptions.ts'

export interface RpcAnswer {
  /** `null` for a message without an answer. */
  readonly reply: object | null
  /** Runs after the answer was sent. */
  readonly start?: () => void
}

export interface AnswersDeps {
  readonly host: RpcHost
  readonly logger: Logger
  readonly requests: OpenRequests
  readonly clients: OwnClients
  readonly subscriptions: Subscriptions
  readonly signal: AbortSignal
}

interface Outcome {
  readonly result: unknown
  readonly start?: () => void
}

type Call = Extract<RpcMessage, { type: 'call' }>

/** Never rejects. */
export function createAnswers(deps: AnswersDeps): (message: RpcMessage) => Promise<RpcAnswer> {
  const { host, logger, requests, clients, subscriptions, signal } = deps
  const runInQueue = createSerialQueues()

  async function run(method: KnownMethod, params: RpcParams): Promise<Outcome> {
    if (method === 'session.subscribe') return subscriptions.subscribe(params)
    if (method === 'session.unsubscribe') return { result: subscriptions.unsubscribe(params) }
    return { result: await clients.note({ method, params }, () => host.call(method, params, signal)) }
  }

  async function answerCall({ id, method, params }: Call): Promise<RpcAnswer> {
    const refuse = (error: RpcError): RpcAnswer => ({ reply: id === undefined ? null : failure(id, error) })
    if (!isKnown(method)) return refuse(unknownMethod(method))
    try {
      const orderingKey = orderingKeyOf(method, params)
      const running = () => run(method, params)
      const { result, ...rest } = await (orderingKey === null ? running() : runInQueue(orderingKey, running))
      return { reply: id === undefined ? null : { jsonrpc: '2.0', id, result: result ?? null }, ...rest }
    } catch (error) {
      if (!isQuarterdeckError(error)) logger.error({ method, error }, 'a call failed unexpectedly')
      return refuse(rpcErrorOf(error))
    }
  }

  async function answer(message: RpcMessage): Promise<RpcAnswer> {
    switch (message.type) {
      case 'call':
        return answerCall(message)
      case 'result':
        return { reply: await settle(message.id, message.result) }
      case 'error':
        // The ask stays open: it may be answered elsewhere, or by another call of this peer.
        if (message.id !== null) requests.take(message.id)
        return { reply: null }
      case 'invalid':
        return { reply: failure(message.id, message.error) }
    }
  }

  /** A refused result is reported in a notification, because an answer has no answer. */
  async function settle(id: RpcId, result: unknown): Promise<object | null> {
    const request = requests.take(id)
    if (request === undefined) return null
    try {
      await request.settle(result)
      return null
    } catch (error) {
      if (isQuarterdeckError(error) && lateCodes.has(error.code)) return null
      if (!isQuarterdeckError(error)) logger.error({ method: request.method, error }, 'a result could not be processed')
      request.reopen()
      return { jsonrpc: '2.0', method: 'request.refused', params: { id, error: rpcErrorOf(error) } }
    }
  }

  return answer
}

type Subscribing = 'session.subscribe' | 'session.unsubscribe'
type KnownMethod = RpcMethod | Subscribing

const isSubscribing = (method: string): method is Subscribing =>
  method === 'session.subscribe' || method === 'session.unsubscribe'

const isKnown = (method: string): method is KnownMethod => Object.hasOwn(rpcMethods, method) || isSubscribing(method)

/** Changes of a session and its subscriptions run in the order they were sent; reads may run concurrently. */
function orderingKeyOf(method: KnownMethod, { sessionId }: RpcParams): string | null {
  if (typeof sessionId !== 'string') return null
  const operation: Operation | null = isSubscribing(method) ? null : rpcMethods[method]
  return operation?.method === 'get' ? null : sessionId
}

/** Decided elsewhere first: a late result is dropped. */
const lateCodes: ReadonlySet<ErrorCode> = new Set([
  'approval.already-decided',
  'question.already-answered',
  'client-call.already-returned',
])

const unknownMethod = (method: string): RpcError => ({
  code: rpcErrorCodes.methodNotFound,
  message: `there is no method ${JSON.stringify(method.slice(0, 100))}`,
})

export const failure = (id: RpcId | null, error: RpcError): object => ({ jsonrpc: '2.0', id, error })
