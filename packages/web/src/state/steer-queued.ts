import type { Client, QueuedMessage, SessionId } from '@quarterdeck/protocol'
import { failureOf } from './failure.ts'

/**
 * Takes a message out of the line and sends it into the running turn. First the one, then the other: a message that was
 * delivered meanwhile is refused before anything is sent, so it never arrives twice. Once it is out of the line it is
 * sent until the server has answered.
 */
export async function steerQueued(
  client: Client,
  sessionId: SessionId,
  { message, retryAfterMs = 1000 }: { readonly message: QueuedMessage; readonly retryAfterMs?: number },
): Promise<void> {
  await client.cancelMessage(sessionId, message.messageId)
  const key = crypto.randomUUID()
  for (;;) {
    try {
      await client.sendMessage(sessionId, { content: message.content, delivery: 'immediate' }, { key })
      return
    } catch (error) {
      const { code } = failureOf(error)
      if (code !== 'server.unreachable' && code !== 'server.draining') throw error
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
}
