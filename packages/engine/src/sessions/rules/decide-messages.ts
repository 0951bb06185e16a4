// The message queue: sending, changing queued messages, and handing a message into the running turn.
import {
  type CancelMessage,
  draft,
  type EditMessage,
  type EventDraft,
  type PromoteMessage,
  type SendMessage,
  type SessionState,
  type SteerTurn,
} from '@quarterdeck/protocol'
import { requirePersonsMessage, requireWaitingMessage } from './invariants.ts'
import { moveTo, queueUp, restingStatus } from './status-drafts.ts'

export function sendMessage(state: SessionState, command: SendMessage): readonly EventDraft[] {
  const { messageId, content, origin, by, delivery, images } = command
  if (state.recentMessages.includes(messageId)) return [] // a retry of a message that is already logged
  const withImages = images === undefined ? {} : { images: [...images] }
  return [draft('UserMessageQueued', { messageId, content, origin, by, delivery, ...withImages }), ...queueUp(state)]
}

export function editMessage(state: SessionState, { messageId, content, by }: EditMessage): readonly EventDraft[] {
  const message = requirePersonsMessage(requireWaitingMessage(state, messageId))
  return message.content === content ? [] : [draft('UserMessageEdited', { messageId, content, by })]
}

export function cancelMessage(state: SessionState, { messageId, by }: CancelMessage): readonly EventDraft[] {
  requirePersonsMessage(requireWaitingMessage(state, messageId))
  return [draft('UserMessageCancelled', { messageId, by }), ...restWithout(state, messageId)]
}

export function promoteMessage(state: SessionState, command: PromoteMessage): readonly EventDraft[] {
  const { messageId, by, delivery } = command
  const message = requirePersonsMessage(requireWaitingMessage(state, messageId))
  const first = state.queued.find(({ origin }) => origin === 'user')
  const isAsWanted = first?.messageId === messageId && (delivery ?? message.delivery) === message.delivery
  return isAsWanted ? [] : [draft('UserMessagePromoted', { messageId, by, ...(delivery && { delivery }) })]
}

/** The turn has the message. If the turn ended before this was logged, the message is no longer queued. */
export function steerTurn(state: SessionState, { messageId }: SteerTurn): readonly EventDraft[] {
  if (!state.queued.some((message) => message.messageId === messageId)) return []
  const { turn } = state
  if (turn !== null) return [draft('UserMessageDelivered', { messageId }, { turnId: turn.turnId })]
  return [draft('UserMessageDelivered', { messageId }), ...restWithout(state, messageId)]
}

/** A session that was queued only for this message returns to its resting status. */
function restWithout(state: SessionState, messageId: string): readonly EventDraft[] {
  const isLast = state.queued.every((message) => message.messageId === messageId)
  return state.status === 'queued' && isLast ? [moveTo(state, restingStatus(state))] : []
}
