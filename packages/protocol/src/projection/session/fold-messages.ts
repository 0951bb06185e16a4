// The line of messages: who waits, in which order, and what was made of them.
import type { EventOfType } from '../../events/session-event.ts'
import type { Untold } from '../../events/untold.ts'
import { isWakeMessage } from '../../wake-message.ts'
import { firstLine } from './first-line.ts'
import type { QueuedMessage, SessionState } from './session-state.ts'

const recentMessageLimit = 100

export function queueMessage(state: SessionState, event: EventOfType<'UserMessageQueued'>): SessionState {
  const { messageId, content, origin, by, delivery = 'queued' } = event.data
  const title = state.title === '' && origin === 'user' ? firstLine(content) : state.title
  const recentMessages = [...state.recentMessages, messageId].slice(-recentMessageLimit)
  const message = { messageId, content, origin, by, at: event.at, delivery }
  // What the engine has to say goes first: it may be overtaken by nothing that makes it untrue.
  const queued = origin === 'engine' ? [message, ...state.queued] : [...state.queued, message]
  return { ...state, title, recentMessages, queued }
}

export function deliverMessage(state: SessionState, event: EventOfType<'UserMessageDelivered'>): SessionState {
  const message = state.queued.find(({ messageId }) => messageId === event.data.messageId)
  const delivered = { ...withoutMessage(state, event.data.messageId), steered: steeredWith(state, message) }
  if (message?.origin !== 'engine' || !isWakeMessage(message.content)) return delivered
  return { ...delivered, untold: [], kept: [...state.kept, ...state.untold.filter(canBeKept)] }
}

/** A turn's own message is not among them: it is part of what the turn was. */
function steeredWith({ turn, steered }: SessionState, message: QueuedMessage | undefined): SessionState['steered'] {
  const isHandedIn = message !== undefined && turn !== null && !turn.messageIds.includes(message.messageId)
  return isHandedIn ? [...steered, message] : steered
}

const canBeKept = (untold: Untold): untold is SessionState['kept'][number] => untold.type !== 'decision'

export function editMessage(state: SessionState, { data }: EventOfType<'UserMessageEdited'>): SessionState {
  const edited = (message: QueuedMessage) =>
    message.messageId === data.messageId ? { ...message, content: data.content } : message
  return { ...state, queued: state.queued.map(edited) }
}

export const withoutMessage = (state: SessionState, messageId: QueuedMessage['messageId']): SessionState => ({
  ...state,
  queued: state.queued.filter((message) => message.messageId !== messageId),
})

export function promoteMessage(state: SessionState, { data }: EventOfType<'UserMessagePromoted'>): SessionState {
  const promoted = state.queued.filter(({ messageId }) => messageId === data.messageId)
  return { ...state, queued: inFront(promoted, withoutMessage(state, data.messageId).queued) }
}

export function returnMessage(state: SessionState, { data }: EventOfType<'UserMessageReturned'>): SessionState {
  const returned = state.steered.filter(({ messageId }) => messageId === data.messageId)
  const steered = state.steered.filter(({ messageId }) => messageId !== data.messageId)
  return { ...state, steered, queued: inFront(returned, state.queued) }
}

/** In front of everybody but the engine. */
const inFront = (messages: readonly QueuedMessage[], queued: readonly QueuedMessage[]): QueuedMessage[] => [
  ...queued.filter(({ origin }) => origin === 'engine'),
  ...messages,
  ...queued.filter(({ origin }) => origin !== 'engine'),
]
