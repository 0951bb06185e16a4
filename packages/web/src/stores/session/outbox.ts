import type { Client } from '@quarterdeck/client'
import { type CreateSessionBody, errorKind, type SendMessageBody, type SessionId } from '@quarterdeck/protocol'
import { failureOf } from '../primitives/failure.ts'

export interface Outbox {
  /** A message whose answer was lost goes out as it went first, also when it is to be delivered another way now. */
  sendMessage(sessionId: SessionId, body: SendMessageBody): ReturnType<Client['sendMessage']>
  startSession(body: CreateSessionBody): ReturnType<Client['createSession']>
}

interface Try<Body> {
  readonly key: string
  readonly body: Body
}

/**
 * Sends what a person wrote, once. A try whose answer was lost may have been accepted: the next press on the same words
 * goes out under the same key with the same body, so it happens once whatever became of the first. Changed words are
 * another change, and after an accepted one the same words are meant anew.
 */
export function createOutbox(client: Client): Outbox {
  const messages = createTries<SendMessageBody>()
  const starts = createTries<CreateSessionBody>()
  return {
    sendMessage: (sessionId, body) =>
      messages.send({ identity: [sessionId, body.content], body }, ({ key, body: first }) =>
        client.sendMessage(sessionId, first, { key }),
      ),
    startSession: (body) =>
      starts.send({ identity: [body], body }, ({ key, body: first }) => client.createSession(first, { key })),
  }
}

function createTries<Body>() {
  const unanswered = new Map<string, Try<Body>>()

  return {
    async send<Reply>(
      { identity, body }: { readonly identity: readonly unknown[]; readonly body: Body },
      post: (one: Try<Body>) => Promise<Reply>,
    ): Promise<Reply> {
      const name = JSON.stringify(identity)
      const one = unanswered.get(name) ?? { key: crypto.randomUUID(), body }
      try {
        const reply = await post(one)
        unanswered.clear()
        return reply
      } catch (error) {
        // A refusal says that this try changed nothing, but not what became of one before it that was lost.
        if (errorKind(failureOf(error).code).status >= 500) unanswered.set(name, one)
        throw error
      }
    },
  }
}
