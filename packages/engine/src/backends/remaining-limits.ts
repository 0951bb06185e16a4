import type { Limits } from '@quarterdeck/protocol'

/** A budget of nothing is refused by the CLI (measured). */
const leastBudgetUsd = 0.000001

/** What a process is fenced in with when it starts: the whole turn limit, and the money that is left. */
export const remainingLimits = (limits: Limits, spentUsd: number): Limits => ({
  ...limits,
  maxBudgetUsd: Math.max(leastBudgetUsd, limits.maxBudgetUsd - spentUsd),
})
