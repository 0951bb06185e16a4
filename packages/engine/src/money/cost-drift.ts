import { draft, type EventDraft } from '@quarterdeck/protocol'

interface TurnMoney {
  readonly reportedUsd: number | null
  readonly bookedUsd: number
}

/**
 * Above this share, and above what a switch of models makes of a turn that costs next to nothing: the CLI tries the
 * model with one word first, which is booked here and not counted there (measured: $0.0003 to $0.0006).
 */
const tolerance = 0.01
const smallestUsd = 0.001

/** The event for a turn whose two sums do not agree. They are compared, never added. */
export function costDrift({ reportedUsd, bookedUsd }: TurnMoney): EventDraft<'CostDrifted'> | null {
  if (reportedUsd === null) return null
  const difference = Math.abs(reportedUsd - bookedUsd)
  const isDrift = difference > smallestUsd && difference > tolerance * Math.max(reportedUsd, bookedUsd)
  return isDrift ? draft('CostDrifted', { reportedUsd, bookedUsd }) : null
}

/** What a backend says it cost by list prices; `null` where it used others, or made one up. */
export function reportedAtList({ reportedCostUsd, modelUsage }: EventDraft<'TurnEnded'>['data']): number | null {
  const isList = Object.values(modelUsage).every(({ costBasis = 'list' }) => costBasis === 'list')
  return isList ? reportedCostUsd : null
}
