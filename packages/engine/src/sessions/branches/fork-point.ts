// Where a fork leaves the conversation of its source.
import {
  type ForkSessionBody,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { NewMessage } from '../runtime/operation-context.ts'
import { readLog } from '../streaming/read-log.ts'
import { type ConversationCut, cutAtEnd, cutBefore } from './branch-conversation.ts'
import { findMessage } from './find-message.ts'

export interface ForkPoint {
  readonly cut: ConversationCut
  /** The last event that the fork knows. */
  readonly seq: number
  /** The first message of the fork: the message it was forked at, unless the caller gives another. */
  readonly message: Pick<NewMessage, 'content' | 'images'> | undefined
}

/**
 * A fork at a message of the agent keeps that message. A fork at a message of a person ends before it and gets it, or
 * `message` instead, as its first message to answer. Throws `rewind.unavailable`.
 */
export async function findForkPoint(
  store: Pick<EventStore, 'read'>,
  state: SessionState,
  body: z.output<typeof ForkSessionBody>,
): Promise<ForkPoint> {
  const { sessionId, seq } = state
  const given = body.message === undefined ? undefined : { content: body.message }
  if (body.at === undefined) return { cut: cutAtEnd(state), seq, message: given }
  const [event] = await store.read(sessionId, body.at - 1, 1)
  if (event?.type === 'AgentThought' && event.agent === null) {
    const points = [{ type: 'after', messageId: event.data.messageId }] as const
    return { cut: { points, unsaved: [], mayBeEmpty: false }, seq: event.seq, message: given }
  }
  if (event?.type !== 'UserMessageQueued' && event?.type !== 'UserMessageDelivered') {
    const near = await messagesNear(store, sessionId, body.at)
    const where =
      near.length === 0 ? 'it has none yet' : `the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(' and ')}`
    const detail = `event ${body.at} of ${sessionId} is not a message to fork at: ${where}`
    throw new QuarterdeckError('rewind.unavailable', detail)
  }
  const found = await findMessage(store, sessionId, event.data.messageId)
  const { messageId, content, images, deliveredSeq, isForgotten } = found
  if (deliveredSeq === null || isForgotten) {
    const why = isForgotten ? 'was rewound' : 'was not delivered'
    throw new QuarterdeckError('rewind.unavailable', `message ${messageId} ${why}: the conversation does not have it`)
  }
  return { cut: cutBefore(state, found), seq: deliveredSeq - 1, message: given ?? { content, images } }
}

/** The seqs of the messages before and after this event. */
async function messagesNear(
  store: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  at: number,
): Promise<readonly number[]> {
  let before: number | undefined
  for await (const event of readLog(store, sessionId)) {
    if (!isMessage(event)) continue
    if (event.seq > at) return before === undefined ? [event.seq] : [before, event.seq]
    before = event.seq
  }
  return before === undefined ? [] : [before]
}

const isMessage = ({ type, agent }: SessionEvent): boolean =>
  type === 'UserMessageDelivered' || (type === 'AgentThought' && agent === null)
