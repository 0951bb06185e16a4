import { z } from 'zod'
import { Limits } from '../agents/agent-definition.ts'
import { TokenCounts } from '../models/model-catalog.ts'
import { BudgetId } from '../values/ids.ts'
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
  /** Tokens times the tier's multiplier, against a user's limit in units. */
  units: z.number().optional(),
  /** What the same tokens would have cost on the `high` model; null when the price is unknown. */
  highCostUsd: z.number().nullable().optional(),
})

export const ModelChosen = eventOf('ModelChosen', { model: z.string(), rule: z.string(), reason: z.string() })

/** A budget has been used to four fifths. Told once for each budget and period. */
export const BudgetWarning = eventOf('BudgetWarning', {
  /** Which budget, in words: `session`, `agent coder per day`, `user ana per month`. */
  budget: z.string(),
  /** Absent, as `period` is, for the session's own limit. */
  budgetId: BudgetId.optional(),
  /** The day or month it is told for, or `total`. */
  period: z.string().optional(),
  unit: z.enum(['usd', 'units']),
  spent: z.number(),
  limit: z.number(),
})

/** The session's own limits are others from here on. */
export const BudgetChanged = eventOf('BudgetChanged', { from: Limits, to: Limits, by: z.string() })

/** What the backend reported for a turn and what the ledger has differ by more than one percent. */
export const CostDrifted = eventOf('CostDrifted', { reportedUsd: z.number(), bookedUsd: z.number() })
