// What each turn cost, by the number of the event that ended it: the projection of costs knows models and agents only.
import type { SessionEvent } from '@quarterdeck/protocol'

export interface TurnCosts {
  readonly openUsd: number
  readonly byTurn: ReadonlyMap<string, number>
  /** Which turn the event with this number ended. */
  readonly turnOfSeq: ReadonlyMap<number, string>
}

export const emptyTurnCosts: TurnCosts = { openUsd: 0, byTurn: new Map(), turnOfSeq: new Map() }

export function foldTurnCosts(costs: TurnCosts, events: readonly SessionEvent[]): TurnCosts {
  if (!events.some((event) => event.type === 'UsageRecorded' || event.type === 'TurnEnded')) return costs
  let { openUsd } = costs
  const byTurn = new Map(costs.byTurn)
  const turnOfSeq = new Map(costs.turnOfSeq)
  for (const event of events) {
    if (event.type === 'UsageRecorded') {
      const usd = event.data.costUsd ?? 0
      if (event.turnId === undefined) openUsd += usd
      else byTurn.set(event.turnId, (byTurn.get(event.turnId) ?? 0) + usd)
    } else if (event.type === 'TurnEnded') {
      const turn = event.turnId ?? `until ${event.seq}`
      turnOfSeq.set(event.seq, turn)
      byTurn.set(turn, (byTurn.get(turn) ?? 0) + openUsd)
      openUsd = 0
    }
  }
  return { openUsd, byTurn, turnOfSeq }
}

export const turnCostUsd = (costs: TurnCosts, endedAtSeq: number): number =>
  costs.byTurn.get(costs.turnOfSeq.get(endedAtSeq) ?? '') ?? 0
