import { SessionId, TokenCounts } from '@quarterdeck/protocol'
import { z } from 'zod'

/** A model's answer that has begun: it costs money from here on, and is noted until it is booked. */
export const BegunAnswer = z.object({
  sessionId: SessionId,
  requestId: z.string(),
  apiMessageId: z.string(),
  requestedModel: z.string(),
  servedModel: z.string(),
  /** As the answer's beginning tells them: the input is whole, the output has only begun. */
  tokens: TokenCounts,
})
export type BegunAnswer = z.infer<typeof BegunAnswer>

export type BegunAnswerId = Pick<BegunAnswer, 'sessionId' | 'apiMessageId'>
