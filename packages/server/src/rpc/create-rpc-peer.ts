// One JSON-RPC 2.0 connection over any transport: calls in, answers and events out, and requests in the other
// direction.
import type { Logger } from '@quarterdeck/engine'
import { type Operation, rpcMethods } from '@quarterdeck/protocol'
import { createAnswers, type RpcAnswer } from './answer-messages.ts'
import { createBatch } from './batch.ts'
import { createCallLimit } from './call-limit.ts'
import { createOpenRequests } from './open-requests.ts'
import { createOwnClients } from './own-clients.ts'
import { type RpcMessage, readMessages } from './read-message.ts'
import type { RpcConnection, RpcHost } from './rpc-host.ts'
import { createSessionAsks } from './session-asks.ts'
import { shareConnection } from './share-connection.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface RpcPeerDeps {
  readonly host: RpcHost
  readonly connection: RpcConnection
  readonly logger: Logger
}

/** Limit of concurrent calls. A call counts until its answer is sent. */
const maxCalls = 64
/** Calls with large answers count more: a few of them could fill the memory of a peer that does not read. */
const largeWeight = maxCalls / 4
const largeAnswers: ReadonlySet<string> = new Set(
  Object.entries<Operation>(rpcMethods).flatMap(([name, { hasLargeReply }]) => (hasLargeReply === true ? [name] : [])),
)

const weightOf = (message: RpcMessage): number =>
  message.type === 'call' && largeAnswers.has(message.method) ? largeWeight : 1

export function createRpcPeer({ host, connection, logger }: RpcPeerDeps) {
  const over = new AbortController()
  const { signal } = over
  const shared = shareConnection({
    send: (text) => signal.aborted || connection.send(text),
    drained: () => (signal.aborted ? Promise.resolve() : connection.drained()),
  })
  const callLimit = createCallLimit(maxCalls)
  const clients = createOwnClients()
  const requests = createOpenRequests((message) => void shared.send(JSON.stringify(message)))
  const subscriptions = createSubscriptions({
    host,
    connection: shared,
    logger,
    signal,
    asksOf: (session, { handles, clientId }) => {
      const isOwnClient = (name: string) => name === clientId || clients.has(session.sessionId, name)
      return createSessionAsks(session, { host, requests, handles, isOwnClient, signal })
    },
  })

  const answer = createAnswers({ host, logger, requests, clients, subscriptions, signal })

  async function post({ reply, start }: RpcAnswer): Promise<void> {
    if (reply !== null) await shared.post(JSON.stringify(reply))
    if (!signal.aborted) start?.()
  }

  /** Its answers are held until all are ready, so they have their own limit. */
  async function receiveBatch(messages: readonly RpcMessage[]): Promise<void> {
    const batch = createBatch(answer)
    for (const message of messages) {
      const weight = weightOf(message)
      await callLimit.take(weight)
      void batch.add(message).finally(() => callLimit.release(weight))
    }
    await callLimit.take(largeWeight)
    void batch
      .answers()
      .then(async ({ notifications, replies, starts }) => {
        for (const text of notifications) await shared.post(text)
        if (replies.length > 0) await shared.post(`[${replies.join(',')}]`)
        if (!signal.aborted) for (const start of starts) start()
      })
      .finally(() => callLimit.release(largeWeight))
  }

  return {
    /**
     * Takes one message or batch. Resolves when it is running, not when it is answered; waiting for this before reading
     * on applies back-pressure. Never rejects.
     */
    async receive(text: string): Promise<void> {
      const { isBatch, messages } = readMessages(text)
      if (isBatch) return receiveBatch(messages)
      for (const message of messages) {
        const weight = weightOf(message)
        await callLimit.take(weight)
        void answer(message)
          .then(post)
          .finally(() => callLimit.release(weight))
      }
    },
    /** Resolves when every received message is answered. */
    settled: callLimit.allFree,
    /** Resolves when every event now in the log has been sent to the subscriptions of this connection. */
    delivered: subscriptions.delivered,
    /** Stops answering and sending. Resolves when no subscription reads from the host any more. */
    async close() {
      over.abort()
      await subscriptions.close()
    },
  }
}
