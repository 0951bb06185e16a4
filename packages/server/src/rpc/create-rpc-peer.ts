// One JSON-RPC 2.0 connection, over whatever line: calls in, answers and events out, and requests the other way.
import type { Logger } from '@quarterdeck/engine'
import { type Answer, createAnswers } from './answer-messages.ts'
import { createOpenRequests } from './open-requests.ts'
import { createOwnClients } from './own-clients.ts'
import { readMessages } from './read-message.ts'
import type { RpcHost, RpcLine } from './rpc-host.ts'
import { createSessionAsks } from './session-asks.ts'
import { shareLine } from './share-line.ts'
import { createSlots } from './slots.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface RpcPeerDeps {
  readonly host: RpcHost
  readonly line: RpcLine
  readonly logger: Logger
}

export interface RpcPeer {
  /**
   * Takes one message or batch. Resolves when it is under way, not when it is answered: who waits for that before it
   * reads on makes the other end wait. Never rejects.
   */
  receive(text: string): Promise<void>
  /** Resolves when everything that was taken is answered. */
  settled(): Promise<void>
  /** Nothing is answered or told any more. */
  close(): void
}

/** Calls under way at once. An answer that finds no room is still one. */
const maxCalls = 64

export function createRpcPeer({ host, line, logger }: RpcPeerDeps): RpcPeer {
  const over = new AbortController()
  const { signal } = over
  const shared = shareLine({
    send: (text) => signal.aborted || line.send(text),
    room: () => (signal.aborted ? Promise.resolve() : line.room()),
  })
  const slots = createSlots(maxCalls)
  const clients = createOwnClients()
  const requests = createOpenRequests((message) => void shared.send(JSON.stringify(message)))
  const subscriptions = createSubscriptions({
    ...{ host, line: shared, logger, signal },
    asksOf: (session, { handles, clientId }) => {
      const isOwnClient = (name: string) => name === clientId || clients.has(session.sessionId, name)
      return createSessionAsks(session, { host, requests, handles, isOwnClient, signal })
    },
  })

  const answer = createAnswers({ host, logger, requests, clients, subscriptions, signal })

  async function post({ reply, start }: Answer): Promise<void> {
    if (reply !== null) await shared.post(JSON.stringify(reply))
    if (!signal.aborted) start?.()
  }

  async function postBatch(answers: readonly Answer[]): Promise<void> {
    const replies = answers.flatMap(({ reply }) => (reply === null ? [] : [reply]))
    // A notification is none of the answers of a batch.
    for (const reply of replies.filter(isNotification)) await post({ reply })
    const own = replies.filter((reply) => !isNotification(reply))
    if (own.length > 0) await post({ reply: own })
    for (const { start } of answers) await post({ reply: null, ...(start === undefined ? {} : { start }) })
  }

  return {
    async receive(text) {
      const { isBatch, messages } = readMessages(text)
      const answers: Promise<Answer>[] = []
      for (const message of messages) {
        await slots.take()
        const answering = answer(message)
        void (isBatch ? answering : answering.then(post)).finally(slots.release)
        answers.push(answering)
      }
      if (!isBatch) return
      await slots.take()
      void Promise.all(answers).then(postBatch).finally(slots.release)
    },
    settled: slots.allFree,
    close() {
      over.abort()
      subscriptions.close()
    },
  }
}

const isNotification = (reply: object): boolean => 'method' in reply
