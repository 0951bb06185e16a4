import type { Limits } from '@quarterdeck/protocol'

/** The CLI refuses a zero budget (measured). */
const leastBudgetUsd = 0.000001

/** The limits of a process at its start: the whole turn limit and the remaining budget. */
export const remainingLimits = (limits: Limits, spentUsd: number): Limits => ({
  ...limits,
  maxBudgetUsd: Math.max(leastBudgetUsd, limits.maxBudgetUsd - spentUsd),
})
