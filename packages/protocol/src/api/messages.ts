import { z } from 'zod'
import { SessionId, UserMessageId } from '../ids.ts'
import { route } from './route.ts'
import { MessageContent, SessionParams } from './sessions.ts'

export const SendMessageBody = z.strictObject({ content: MessageContent }).meta({ id: 'SendMessage' })
export type SendMessageBody = z.input<typeof SendMessageBody>

export const MessageAccepted = z
  .object({ sessionId: SessionId, messageId: UserMessageId, appliedSeq: z.int() })
  .meta({ id: 'MessageAccepted' })
export type MessageAccepted = z.infer<typeof MessageAccepted>

export const messageRoutes = {
  send: route({
    method: 'post',
    path: '/v1/sessions/{sessionId}/messages',
    summary: 'Send a message; it is in the log before this answers',
    status: 201,
    params: SessionParams,
    body: SendMessageBody,
    reply: MessageAccepted,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere', 'server.draining'],
  }),
}
