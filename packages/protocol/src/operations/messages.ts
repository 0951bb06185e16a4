import { z } from 'zod'
import { MessageDelivery } from '../events/messages.ts'
import { QueuedMessage } from '../projections/session/session-state.ts'
import { SessionId, UserMessageId } from '../values/ids.ts'
import { MessageImages } from '../values/input-image.ts'
import { operation } from './operation.ts'
import { MessageContent, sessionRead, sessionWork } from './sessions.ts'

export const SendMessageBody = z
  .strictObject({
    content: MessageContent,
    /** `immediate` steers the running turn; `queued` waits for its end. */
    delivery: MessageDelivery.default('queued'),
    /** A message with images waits for the end of the turn, even as `immediate`. */
    images: MessageImages.optional(),
  })
  .meta({ id: 'SendMessage' })
export type SendMessageBody = z.input<typeof SendMessageBody>

const MessageAccepted = z
  .object({ sessionId: SessionId, messageId: UserMessageId, appliedSeq: z.int() })
  .meta({ id: 'MessageAccepted' })

const PromoteMessageBody = z
  .strictObject({
    /** `immediate` passes it into the running turn; without one it is next in the queue. */
    delivery: z.literal('immediate').optional(),
  })
  .meta({ id: 'PromoteMessage' })

const MessageList = z.object({ messages: z.array(QueuedMessage) }).meta({ id: 'MessageList' })

const EditMessageBody = z.strictObject({ content: MessageContent }).meta({ id: 'EditMessage' })

const waiting = [
  'session.not-found',
  'session.closed',
  'session.held-elsewhere',
  'message.not-found',
  'message.delivered',
] as const

export const messageOperations = {
  /** The message is committed when this resolves. The agent gets it in its turn. */
  sendMessage: operation({
    method: 'post',
    path: '/v1/sessions/{sessionId}/messages',
    rpc: 'session.message',
    summary: 'Send a message; the server replies when the message is in the log',
    status: 201,
    permission: 'work',
    belongsTo: 'session',
    startsWork: true,
    body: SendMessageBody,
    takesImages: true,
    reply: MessageAccepted,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  listMessages: operation({
    ...sessionRead,
    path: '/v1/sessions/{sessionId}/messages',
    rpc: 'session.messages',
    summary: 'List the queued messages, the next one first',
    reply: MessageList,
    errors: ['session.not-found'],
  }),
  editMessage: operation({
    ...sessionWork,
    method: 'patch',
    path: '/v1/sessions/{sessionId}/messages/{messageId}',
    rpc: 'session.editMessage',
    summary: 'Change a queued message',
    body: EditMessageBody,
    errors: [...waiting],
  }),
  cancelMessage: operation({
    ...sessionWork,
    method: 'delete',
    path: '/v1/sessions/{sessionId}/messages/{messageId}',
    rpc: 'session.cancelMessage',
    summary: 'Cancel a queued message',
    errors: [...waiting],
  }),
  /** With `immediate`, the message goes into the running turn. Without a turn it becomes first in the queue. */
  promoteMessage: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/messages/{messageId}/promote',
    rpc: 'session.promoteMessage',
    summary: 'Move a queued message to the front, or pass it into the running turn',
    body: PromoteMessageBody.optional(),
    errors: [...waiting],
  }),
}
