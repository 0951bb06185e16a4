import { z } from 'zod'
import { UserMessageId } from '../ids.ts'
import { eventOf } from './envelope.ts'

/** Who wrote it: a person or program, or the engine itself after a wake. */
export const MessageOrigin = z.enum(['user', 'engine'])
export type MessageOrigin = z.infer<typeof MessageOrigin>

export const UserMessageQueued = eventOf('UserMessageQueued', {
  messageId: UserMessageId,
  content: z.string(),
  origin: MessageOrigin,
  by: z.string(),
})

/** Handed to the backend with the turn that starts here. */
export const UserMessageDelivered = eventOf('UserMessageDelivered', { messageId: UserMessageId })
