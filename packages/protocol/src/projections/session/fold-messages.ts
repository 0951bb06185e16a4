// The message queue: waiting messages, their order, and their changes.

import { isWakeMessage } from '../../agent-messages/wake-message.ts'
import type { UnsavedMessage } from '../../events/messages.ts'
import type { EventOfType } from '../../events/session-event.ts'
import type { Unreported } from '../../events/unreported.ts'
import { firstLine } from './first-line.ts'
import type { QueuedMessage, SessionState } from './session-state.ts'

const recentMessageLimit = 100

export function queueMessage(state: SessionState, event: EventOfType<'UserMessageQueued'>): SessionState {
  const { messageId, content, origin, by, delivery = 'queued', images = [] } = event.data
  const title = state.title === '' && origin === 'user' ? firstLine(content) : state.title
  const recentMessages = [...state.recentMessages, messageId].slice(-recentMessageLimit)
  const withImages = images.length === 0 ? {} : { images: { count: images.length, seq: event.seq } }
  const message = { messageId, content, origin, by, at: event.at, delivery, ...withImages }
  // Messages of the engine go first, because later messages could make them untrue.
  const queued = origin === 'engine' ? [message, ...state.queued] : [...state.queued, message]
  return { ...state, title, recentMessages, queued }
}

export function deliverMessage(state: SessionState, event: EventOfType<'UserMessageDelivered'>): SessionState {
  const message = state.queued.find(({ messageId }) => messageId === event.data.messageId)
  const delivered = handOver(withoutMessage(state, event.data.messageId), message)
  if (message?.origin !== 'engine' || !isWakeMessage(message.content)) return delivered
  return { ...delivered, unreported: [], kept: [...state.kept, ...state.unreported.filter(canBeKept)] }
}

/** The backend has it but has not confirmed that: until then a crash queues it again. */
function handOver(state: SessionState, message: QueuedMessage | undefined): SessionState {
  const { turn, steered } = state
  if (message === undefined || turn === null) return state
  if (turn.messageIds.includes(message.messageId)) {
    const unsaved = message.origin === 'user' ? [...state.unsaved, message] : state.unsaved
    return { ...state, unsaved, turn: { ...turn, opening: message } }
  }
  return { ...state, steered: [...steered, message] }
}

const canBeKept = (unreported: Unreported): unreported is SessionState['kept'][number] => unreported.type !== 'decision'

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
  const promoted = state.queued
    .filter(({ messageId }) => messageId === data.messageId)
    .map((message) => ({ ...message, delivery: data.delivery ?? message.delivery }))
  return { ...state, queued: inFront(promoted, withoutMessage(state, data.messageId).queued) }
}

/** Unsaved messages as the state has them. */
export const unsavedFrom = (unsaved: readonly UnsavedMessage[]): SessionState['unsaved'] =>
  unsaved.map((message) => ({ ...message, origin: 'user', delivery: 'queued' }))

export function returnMessage(state: SessionState, { data }: EventOfType<'UserMessageReturned'>): SessionState {
  const { turn, steered, queued, unreported, kept } = state
  const isOther = ({ messageId }: QueuedMessage) => messageId !== data.messageId
  const unsaved = state.unsaved.filter(isOther)
  const opening = turn?.opening?.messageId === data.messageId ? turn.opening : null
  if (turn === null || opening === null) {
    const returned = [...state.unsaved, ...steered].filter((message) => !isOther(message))
    return { ...state, unsaved, steered: steered.filter(isOther), queued: inFront(returned, queued) }
  }
  const without = { ...state, unsaved, turn: { ...turn, opening: null } }
  if (opening.origin !== 'engine') return { ...without, queued: inFront([opening], queued) }
  // Reports in this message were not received either.
  return { ...without, queued: [opening, ...queued], unreported: [...unreported, ...kept], kept: [] }
}

/** Before all others except the engine's. */
const inFront = (messages: readonly QueuedMessage[], queued: readonly QueuedMessage[]): QueuedMessage[] => [
  ...queued.filter(({ origin }) => origin === 'engine'),
  ...messages,
  ...queued.filter(({ origin }) => origin !== 'engine'),
]
