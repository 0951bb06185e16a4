// How a turn ended: as the CLI's result says, or as can be told without one.
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
    const reason = 'a message that was handed into the turn was not taken up'
    return endTurn(turn.ended.data.result, { ...turn.ended.data, outcome: 'failed', reason })
  }
  const reason = 'the agent fell silent without a result'
  return endTurn(translator.record(), { outcome: outcomeWithoutResult(turn, session), reason, durationMs })
}

/** How a turn ended that no result told of. */
function outcomeWithoutResult(turn: TurnProgress, { isBudgetSpent }: EndingSession): TurnOutcome {
  if (turn.isInterrupted) return 'interrupted'
  if (turn.hasExited) return 'crashed'
  return isBudgetSpent() ? 'budget_limit' : 'failed'
}

/** What was handed into an interrupted turn starts another round, which says nothing about how the turn ended. */
export function endedSoFar(turn: TurnProgress, next: EventDraft<'TurnEnded'>): EventDraft<'TurnEnded'> {
  if (!turn.isInterrupted || turn.ended?.data.outcome !== 'interrupted') return next
  return endTurn(next.data.result, { ...next.data, outcome: 'interrupted' })
}
