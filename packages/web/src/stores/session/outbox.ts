import type { Client } from '@quarterdeck/client'
import { type CreateSessionBody, errorKind, type SendMessageBody, type SessionId } from '@quarterdeck/protocol'
import { failureOf } from '../primitives/failure.ts'

interface Try<Body> {
  readonly key: string
  readonly body: Body
}

/**
 * Sends each message once. When a response was lost, the server may have accepted the message: the next attempt with
 * the same text uses the same key and body, so the server applies it once. Changed text is a new message, and so is the
 * same text after it was accepted.
 */
export function createOutbox(client: Client) {
  const messages = createTries<SendMessageBody>()
  const starts = createTries<CreateSessionBody>()
  return {
    /** A message whose response was lost is sent again unchanged, even if it should now be delivered another way. */
    sendMessage: (sessionId: SessionId, body: SendMessageBody) =>
      messages.send({ identity: [sessionId, body.content], body }, ({ key, body: first }) =>
        client.sendMessage(sessionId, first, { key }),
      ),
    startSession: (body: CreateSessionBody) =>
      starts.send({ identity: [body], body }, ({ key, body: first }) => client.createSession(first, { key })),
  }
}

const maxUnanswered = 100

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
        unanswered.delete(name)
        return reply
      } catch (error) {
        // A refusal means that this attempt changed nothing, but an earlier attempt may have been accepted.
        if (errorKind(failureOf(error).code).status >= 500) unanswered.set(name, one)
        for (const oldest of [...unanswered.keys()].slice(0, -maxUnanswered)) unanswered.delete(oldest)
        throw error
      }
    },
  }
}
