import { z } from 'zod'
import { TokenCounts } from '../models.ts'
import { eventOf } from './envelope.ts'

/** One model request, booked once. `apiMessageId` ties it to the agent whose message it was. */
export const UsageRecorded = eventOf('UsageRecorded', {
  requestId: z.string(),
  apiMessageId: z.string(),
  /** The catalog id the price comes from. */
  model: z.string(),
  servedModel: z.string(),
  tokens: TokenCounts,
  /** By our price table; null when the price is unknown. */
  costUsd: z.number().nullable(),
  source: z.enum(['gateway', 'backend']),
})

export const ModelChosen = eventOf('ModelChosen', { model: z.string(), rule: z.string(), reason: z.string() })
