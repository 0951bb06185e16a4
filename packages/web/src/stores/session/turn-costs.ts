// The cost of each turn, found by the seq of its `TurnEnded`. The costs projection only has models and agents.
import type { CostRow, SessionEvent } from '@quarterdeck/protocol'

export type TurnCost = Pick<CostRow, 'costUsd' | 'hasUnpricedUsage'>

export interface TurnCosts {
  /** Usage outside of any turn. It is added to the next turn that ends. */
  readonly open: TurnCost
  readonly byTurn: ReadonlyMap<string, TurnCost>
  /** The turn that ended with this event. */
  readonly turnOfSeq: ReadonlyMap<number, string>
}

const nothing: TurnCost = { costUsd: 0, hasUnpricedUsage: false }

export const emptyTurnCosts: TurnCosts = { open: nothing, byTurn: new Map(), turnOfSeq: new Map() }

export function foldTurnCosts(costs: TurnCosts, events: readonly SessionEvent[]): TurnCosts {
  if (!events.some((event) => event.type === 'UsageRecorded' || event.type === 'TurnEnded')) return costs
  let { open } = costs
  const byTurn = new Map(costs.byTurn)
  const turnOfSeq = new Map(costs.turnOfSeq)
  const addCost = (turn: string, cost: TurnCost) => byTurn.set(turn, sum(byTurn.get(turn) ?? nothing, cost))
  for (const event of events) {
    if (event.type === 'UsageRecorded') {
      const cost = { costUsd: event.data.costUsd ?? 0, hasUnpricedUsage: event.data.costUsd === null }
      if (event.turnId === undefined) open = sum(open, cost)
      else addCost(event.turnId, cost)
    } else if (event.type === 'TurnEnded') {
      const turn = event.turnId ?? `until ${event.seq}`
      turnOfSeq.set(event.seq, turn)
      addCost(turn, open)
      open = nothing
    }
  }
  return { open, byTurn, turnOfSeq }
}

export const turnCost = (costs: TurnCosts, endedAtSeq: number): TurnCost =>
  costs.byTurn.get(costs.turnOfSeq.get(endedAtSeq) ?? '') ?? nothing

const sum = (one: TurnCost, other: TurnCost): TurnCost => ({
  costUsd: one.costUsd + other.costUsd,
  hasUnpricedUsage: one.hasUnpricedUsage || other.hasUnpricedUsage,
})
