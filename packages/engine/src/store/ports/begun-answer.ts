import { SessionId, TokenCounts } from '@quarterdeck/protocol'
import { z } from 'zod'

/** A model answer that has begun. It costs money from here on and is recorded until it is booked. */
export const BegunAnswer = z.object({
  sessionId: SessionId,
  requestId: z.string(),
  apiMessageId: z.string(),
  requestedModel: z.string(),
  servedModel: z.string(),
  /** The counts at the start of the answer: the input is final, the output is not. */
  tokens: TokenCounts,
})
export type BegunAnswer = z.infer<typeof BegunAnswer>

export type BegunAnswerId = Pick<BegunAnswer, 'sessionId' | 'apiMessageId'>
