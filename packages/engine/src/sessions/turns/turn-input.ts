import type { QueuedMessage, SessionId } from '@quarterdeck/protocol'
import type { TurnInput } from '../../backends/backend.ts'
import type { EventStore } from '../../store/ports/event-store.ts'

/** A message as the agent gets it. Its pictures are read from the log now: a state that carried them would be huge. */
export async function turnInput(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  { content, images }: Pick<QueuedMessage, 'content' | 'images'>,
): Promise<TurnInput> {
  if (images === undefined) return content
  const [event] = await store.read(sessionId, images.seq - 1, 1)
  return { text: content, images: event?.type === 'UserMessageQueued' ? (event.data.images ?? []) : [] }
}
