import { type EventDraft, TurnId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { logOf } from '../testing/logged-event.fixture.ts'
import { sessionCreated, spent, turnEnded } from '../testing/sample-events.fixture.ts'
import { emptyTurnCosts, foldTurnCosts, turnCost } from './turn-costs.ts'

const inTurn = (turn: string, event: EventDraft): EventDraft => ({ ...event, turnId: TurnId.parse(turn) })
const first = 'trn_000001'
const second = 'trn_000002'

it('sums the usage of each turn, and adds usage outside of turns to the next one', () => {
  const log = logOf(
    sessionCreated,
    inTurn(first, spent(0.1)),
    inTurn(first, turnEnded),
    spent(0.02),
    inTurn(second, spent(0.2)),
    inTurn(second, turnEnded),
  )
  const costs = foldTurnCosts(emptyTurnCosts, log)
  expect(turnCost(costs, 3)).toEqual({ costUsd: 0.1, hasUnpricedUsage: false })
  expect(turnCost(costs, 6)).toEqual({ costUsd: 0.22, hasUnpricedUsage: false })
})

it('marks turns with unpriced usage, even if the log arrives in pieces', () => {
  const log = logOf(
    inTurn(first, spent(null)),
    inTurn(first, spent(0.1)),
    inTurn(first, turnEnded),
    spent(null),
    turnEnded,
    inTurn(second, spent(0.2)),
    inTurn(second, turnEnded),
  )
  const whole = foldTurnCosts(emptyTurnCosts, log)
  expect(turnCost(whole, 3)).toEqual({ costUsd: 0.1, hasUnpricedUsage: true })
  expect(turnCost(whole, 5)).toEqual({ costUsd: 0, hasUnpricedUsage: true })
  expect(turnCost(whole, 7)).toEqual({ costUsd: 0.2, hasUnpricedUsage: false })
  expect(log.reduce((costs, event) => foldTurnCosts(costs, [event]), emptyTurnCosts)).toEqual(whole)
})
