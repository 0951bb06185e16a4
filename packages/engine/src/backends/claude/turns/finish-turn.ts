// How a turn ended: according to the CLI's result, or inferred without one.
import type { EventDraft, TurnOutcome } from '@quarterdeck/protocol'
import { endTurn } from '../../driver/turn-record.ts'
import type { Translator } from './translator.ts'
import { isSteered, type TurnProgress } from './turn-progress.ts'

interface EndingSession {
  readonly translator: Pick<Translator, 'record'>
  readonly keyVariable: string
  readonly isBudgetSpent: () => boolean
}

export function finishTurn(turn: TurnProgress, session: EndingSession, durationMs: number): EventDraft<'TurnEnded'> {
  const { translator, keyVariable } = session
  if (turn.refusedKey) {
    const reason = `the provider refused the key (401): check ${keyVariable}`
    const endedData = turn.ended?.data
    return endTurn(endedData?.result ?? translator.record(), { ...endedData, outcome: 'failed', reason, durationMs })
  }
  if (turn.ended !== null && !isSteered(turn)) return turn.ended
  if (turn.ended !== null && !turn.isInterrupted && !turn.hasExited) {
    const reason = 'a message added to the turn was not picked up'
    return endTurn(turn.ended.data.result, { ...turn.ended.data, outcome: 'failed', reason })
  }
  const reason = 'the agent stopped responding without a result'
  return endTurn(translator.record(), { outcome: outcomeWithoutResult(turn, session), reason, durationMs })
}

/** The outcome of a turn without a result. */
function outcomeWithoutResult(turn: TurnProgress, { isBudgetSpent }: EndingSession): TurnOutcome {
  if (turn.isInterrupted) return 'interrupted'
  if (turn.hasExited) return 'crashed'
  return isBudgetSpent() ? 'budget_limit' : 'failed'
}

/** A message added to an interrupted turn starts another round, whose result does not count as the end of the turn. */
export function endedSoFar(turn: TurnProgress, next: EventDraft<'TurnEnded'>): EventDraft<'TurnEnded'> {
  if (!turn.isInterrupted || turn.ended?.data.outcome !== 'interrupted') return next
  return endTurn(next.data.result, { ...next.data, outcome: 'interrupted' })
}
