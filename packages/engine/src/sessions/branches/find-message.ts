// Finds people's messages in the log.
import {
  type EventOfType,
  type InputImage,
  QuarterdeckError,
  type SessionId,
  type UnsavedMessage,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'
import { readLog } from '../streaming/read-log.ts'

export interface FoundMessage {
  readonly messageId: UserMessageId
  readonly content: string
  readonly images: readonly InputImage[]
  /** Where it was last delivered to the agent; `null` while it is queued, and after it was returned. */
  readonly deliveredSeq: number | null
  /** A rewind made the agent forget it. */
  readonly isForgotten: boolean
  /** Earlier messages that its prompt repeated. */
  readonly repeated: readonly UnsavedMessage[]
  /** Later messages whose prompts repeated it. */
  readonly repeatedBy: readonly UserMessageId[]
}

/** Throws `message.not-found`. */
export async function findMessage(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  messageId: UserMessageId,
): Promise<FoundMessage> {
  let content: string | null = null
  let images: readonly InputImage[] = []
  let deliveredSeq: number | null = null
  let isForgotten = false
  let repeated: readonly UserMessageId[] = []
  let repeatedBy: UserMessageId[] = []
  const messages = new Map<UserMessageId, UnsavedMessage>()
  // The delivered messages that were not forgotten, in order.
  let known: UserMessageId[] = []
  for await (const event of readLog(store, sessionId)) {
    if (event.type === 'AgentSessionCreated') {
      for (const unsaved of event.data.unsaved ?? []) messages.set(unsaved.messageId, unsaved)
    } else if (event.type === 'TurnStarted') {
      const [last, ...earlier] = event.data.messageIds.toReversed()
      if (last === messageId) [repeated, repeatedBy] = [earlier.toReversed(), []]
      else if (last !== undefined && earlier.includes(messageId)) repeatedBy.push(last)
    } else if (event.type === 'UserMessageQueued' || event.type === 'UserMessageEdited') {
      noteMessage(messages, event)
      if (event.data.messageId !== messageId) continue
      content = event.data.content
      if (event.type === 'UserMessageQueued') images = event.data.images ?? []
    } else if (event.type === 'UserMessageDelivered') {
      known.push(event.data.messageId)
      if (event.data.messageId === messageId) deliveredSeq = event.seq
    } else if (event.type === 'UserMessageReturned') {
      known = known.filter((one) => one !== event.data.messageId)
      if (event.data.messageId === messageId) deliveredSeq = null
    } else if (event.type === 'AgentSessionRewound') {
      const from = known.indexOf(event.data.messageId)
      if (from >= 0) known = known.slice(0, from)
      isForgotten = deliveredSeq !== null && !known.includes(messageId)
    }
  }
  if (content === null) {
    throw new QuarterdeckError('message.not-found', `session ${sessionId} has no message ${messageId}`)
  }
  return {
    messageId,
    content,
    images,
    deliveredSeq,
    isForgotten,
    repeated: repeated.map((id) => messages.get(id)).filter((one) => one !== undefined),
    repeatedBy,
  }
}

function noteMessage(
  messages: Map<UserMessageId, UnsavedMessage>,
  event: EventOfType<'UserMessageQueued' | 'UserMessageEdited'>,
): void {
  const { messageId, content, by } = event.data
  const before = messages.get(messageId)
  if (event.type === 'UserMessageEdited') {
    if (before !== undefined) messages.set(messageId, { ...before, content })
    return
  }
  const count = event.data.images?.length ?? 0
  const images = count === 0 ? {} : { images: { count, seq: event.seq } }
  messages.set(messageId, { messageId, content, by, at: event.at, ...images })
}
