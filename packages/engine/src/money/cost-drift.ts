import { draft, type EventDraft } from '@quarterdeck/protocol'

interface TurnMoney {
  readonly reportedUsd: number | null
  readonly bookedUsd: number
}

/**
 * Above this share, and above the small amount a model switch adds to a cheap turn: the CLI first tries the model with
 * one word, which is booked here and not reported there (measured: $0.0003 to $0.0006).
 */
const tolerance = 0.01
const smallestUsd = 0.001

/** The event for a turn whose reported and booked costs differ. They are compared, never added. */
export function costDrift({ reportedUsd, bookedUsd }: TurnMoney): EventDraft<'CostDrifted'> | null {
  if (reportedUsd === null) return null
  const difference = Math.abs(reportedUsd - bookedUsd)
  const isDrift = difference > smallestUsd && difference > tolerance * Math.max(reportedUsd, bookedUsd)
  return isDrift ? draft('CostDrifted', { reportedUsd, bookedUsd }) : null
}

/** The cost a backend reports at list prices; `null` if it used other prices or an estimate. */
export function reportedAtList({ reportedCostUsd, modelUsage }: EventDraft<'TurnEnded'>['data']): number | null {
  const isList = Object.values(modelUsage).every(({ costBasis = 'list' }) => costBasis === 'list')
  return isList ? reportedCostUsd : null
}
