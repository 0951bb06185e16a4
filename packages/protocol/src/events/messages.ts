import { z } from 'zod'
import { UserMessageId } from '../values/ids.ts'
import { InputImage } from '../values/input-image.ts'
import { eventOf } from './envelope.ts'

/** The author: a person or program, or the engine itself after a wake. */
export const MessageOrigin = z.enum(['user', 'engine'])
export type MessageOrigin = z.infer<typeof MessageOrigin>

/** `immediate` steers the running turn; `queued` waits for its end. Without a turn both start one. */
export const MessageDelivery = z.enum(['immediate', 'queued'])
export type MessageDelivery = z.infer<typeof MessageDelivery>

export const UserMessageQueued = eventOf('UserMessageQueued', {
  messageId: UserMessageId,
  content: z.string(),
  origin: MessageOrigin,
  by: z.string(),
  /** Absent means `queued`. */
  delivery: MessageDelivery.optional(),
  images: z.array(InputImage).optional(),
})

/** A message that the agent's process may not have saved. */
export const UnsavedMessage = z.object({
  messageId: UserMessageId,
  content: z.string(),
  by: z.string(),
  at: z.iso.datetime(),
  /** The number of images, and the event of the same log that has them. */
  images: z.object({ count: z.int().positive(), seq: z.int() }).optional(),
})
export type UnsavedMessage = z.infer<typeof UnsavedMessage>

/** Passed to the backend: with the turn that starts here, or into the running turn. */
export const UserMessageDelivered = eventOf('UserMessageDelivered', { messageId: UserMessageId })

/** Its turn ended, and it is unknown whether the agent received it: it is queued again, in front. */
export const UserMessageReturned = eventOf('UserMessageReturned', { messageId: UserMessageId, reason: z.string() })

export const UserMessageEdited = eventOf('UserMessageEdited', {
  messageId: UserMessageId,
  content: z.string(),
  by: z.string(),
})

export const UserMessageCancelled = eventOf('UserMessageCancelled', { messageId: UserMessageId, by: z.string() })

/** It is the next in the queue. */
export const UserMessagePromoted = eventOf('UserMessagePromoted', {
  messageId: UserMessageId,
  by: z.string(),
  /** It is now for the running turn. Absent: its delivery is unchanged. */
  delivery: z.literal('immediate').optional(),
})
