// A booking as part of the daily sums: once each for its agent, its user, its key and the total.
import type { Booking, StoredBudget } from '../../ports/money-store.ts'

export interface Spending {
  readonly scope: StoredBudget['scope']
  readonly subject: string
  readonly day: string
  readonly usd: number
  readonly units: number
}

/** Always the same number, so that the query can be compiled once. */
export function spendingOf(booking: Booking): readonly [Spending, Spending, Spending, Spending] {
  const { owner, startedBy, agentName, at, costUsd, units } = booking
  const sum = { day: dayOf(at), usd: costUsd ?? 0, units }
  return [
    { scope: 'all', subject: '', ...sum },
    { scope: 'agent', subject: agentName, ...sum },
    { scope: 'user', subject: owner, ...sum },
    { scope: 'key', subject: startedBy, ...sum },
  ]
}

/** The UTC day of a time. */
export const dayOf = (at: string): string => new Date(at).toISOString().slice(0, 10)
