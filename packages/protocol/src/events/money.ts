import { z } from 'zod'
import { Limits } from '../agents/agent-definition.ts'
import { TokenCounts } from '../models/token-counts.ts'
import { BudgetId } from '../values/ids.ts'
import { eventOf } from './envelope.ts'

/** One model request, booked once. `apiMessageId` connects it to the agent of the message. */
export const UsageRecorded = eventOf('UsageRecorded', {
  requestId: z.string(),
  apiMessageId: z.string(),
  /** The catalog id of the price. */
  model: z.string(),
  servedModel: z.string(),
  tokens: TokenCounts,
  /** By our price table; null if the price is unknown. */
  costUsd: z.number().nullable(),
  source: z.enum(['gateway', 'backend']),
  /** Tokens times the tier's multiplier, for a user's limit in units. */
  units: z.number().optional(),
  /** The cost of the same tokens on the `high` model; null if the price is unknown. */
  highCostUsd: z.number().nullable().optional(),
})

export const ModelChosen = eventOf('ModelChosen', { model: z.string(), rule: z.string(), reason: z.string() })

/** Four fifths of a budget are used. Recorded once for each budget and period. */
export const BudgetWarning = eventOf('BudgetWarning', {
  /** The label of the budget: `session`, `agent coder per day`, `user ana per month`. */
  budget: z.string(),
  /** Absent, like `period`, for the session's own limit. */
  budgetId: BudgetId.optional(),
  /** The day or month, or `total`. */
  period: z.string().optional(),
  unit: z.enum(['usd', 'units']),
  spent: z.number(),
  limit: z.number(),
})

/** The session's own limits have changed. */
export const BudgetChanged = eventOf('BudgetChanged', { from: Limits, to: Limits, by: z.string() })

/** The backend's report for a turn and the ledger differ by more than one percent. */
export const CostDrifted = eventOf('CostDrifted', { reportedUsd: z.number(), bookedUsd: z.number() })
