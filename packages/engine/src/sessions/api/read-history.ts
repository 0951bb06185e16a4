// A session's conversation as messages, in the order the agent knows it.
import type { History, SessionEvent, SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'
import { readLog } from '../streaming/read-log.ts'

interface HistoryMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly at: string
  /** Set for a person's message. */
  readonly messageId: string | null
}

/** Includes the conversation it was forked from, up to the fork. Excludes everything that a rewind removed. */
export async function readHistory(store: Pick<EventStore, 'read'>, sessionId: SessionId): Promise<History> {
  const { messages, isPartial } = await conversation(store, sessionId, Number.POSITIVE_INFINITY)
  return { isPartial, messages: messages.map(({ role, content, at }) => ({ role, content, at })) }
}

interface HistoryPart {
  readonly messages: HistoryMessage[]
  readonly isPartial: boolean
}

async function conversation(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  lastSeq: number,
): Promise<HistoryPart> {
  let messages: HistoryMessage[] = []
  // A deleted session has no log, not even its beginning.
  let isPartial = true
  const contents = new Map<string, string>()
  for await (const event of readLog(store, sessionId, lastSeq)) {
    if (event.type === 'AgentSessionCreated') {
      const { forkedFrom } = event.data
      const before = forkedFrom && (await conversation(store, forkedFrom.sessionId, forkedFrom.seq))
      messages = before?.messages ?? []
      isPartial = before?.isPartial ?? false
    } else if (event.type === 'UserMessageQueued' || event.type === 'UserMessageEdited') {
      contents.set(event.data.messageId, event.data.content)
    } else if (event.type === 'UserMessageReturned') {
      messages = messages.filter(({ messageId }) => messageId !== event.data.messageId)
    } else if (event.type === 'AgentSessionRewound') {
      const from = messages.findIndex(({ messageId }) => messageId === event.data.messageId)
      if (from >= 0) messages = messages.slice(0, from)
    } else {
      const message = messageOf(event, contents)
      if (message !== null) messages.push(message)
    }
  }
  return { messages, isPartial }
}

function messageOf(event: SessionEvent, contents: ReadonlyMap<string, string>): HistoryMessage | null {
  const { at } = event
  if (event.type === 'UserMessageDelivered') {
    const { messageId } = event.data
    return { role: 'user', content: contents.get(messageId) ?? '', at, messageId }
  }
  if (event.type !== 'AgentThought' || event.agent !== null) return null
  return { role: 'assistant', content: event.data.text, at, messageId: null }
}
