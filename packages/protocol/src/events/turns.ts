import { z } from 'zod'
import { ExecutionResult } from '../values/execution-result.ts'
import { UserMessageId } from '../values/ids.ts'
import { eventOf } from './envelope.ts'
import { ModelUsage } from './lifecycle.ts'

export const TurnOutcome = z.enum([
  'completed',
  'failed',
  'interrupted',
  'turn_limit',
  'budget_limit',
  'timeout',
  'crashed',
])
export type TurnOutcome = z.infer<typeof TurnOutcome>

export const TurnStarted = eventOf('TurnStarted', { messageIds: z.array(UserMessageId), model: z.string() })

/** Always the last event of a turn, regardless of its outcome. */
export const TurnEnded = eventOf('TurnEnded', {
  outcome: TurnOutcome,
  /** The agent's process ended before the turn was done: it may not have saved the messages of the prompt. */
  hasProcessEnded: z.boolean().optional(),
  result: ExecutionResult,
  durationMs: z.number(),
  durationApiMs: z.number(),
  /** The cost of the turn as the backend reports it: compared with the ledger, never added to it. */
  reportedCostUsd: z.number().nullable(),
  modelUsage: ModelUsage,
  permissionDenials: z.array(z.looseObject({})),
})
