// How a turn ended: according to the CLI's result, or inferred without one.
import type { EventDraft, TurnOutcome } from '@quarterdeck/protocol'
import { endTurn } from '../../driver/turn-record.ts'
import type { Translator } from './translator.ts'
import type { TurnProgress } from './turn-progress.ts'

interface EndingSession {
  readonly translator: Pick<Translator, 'record'>
  readonly keyVariable: string
  readonly isBudgetSpent: () => boolean
}

export function finishTurn(turn: TurnProgress, session: EndingSession, durationMs: number): EventDraft<'TurnEnded'> {
  const { translator, keyVariable } = session
  const ended = turn.ended()
  if (turn.isKeyRefused()) {
    const reason = `the provider refused the key (401): check ${keyVariable}`
    const endedData = ended?.data
    return endTurn(endedData?.result ?? translator.record(), { ...endedData, outcome: 'failed', reason, durationMs })
  }
  if (ended !== null && !turn.isSteered()) return ended
  if (ended !== null && !turn.isInterrupted() && !turn.hasExited()) {
    const reason = 'a message added to the turn was not picked up'
    return endTurn(ended.data.result, { ...ended.data, outcome: 'failed', reason })
  }
  const reason = 'the agent stopped responding without a result'
  const outcome = outcomeWithoutResult(turn, session)
  return endTurn(translator.record(), { outcome, hasProcessEnded: ended === null, reason, durationMs })
}

/** The outcome of a turn without a result. */
function outcomeWithoutResult(turn: TurnProgress, { isBudgetSpent }: EndingSession): TurnOutcome {
  if (turn.isInterrupted()) return 'interrupted'
  if (turn.hasExited()) return 'crashed'
  return isBudgetSpent() ? 'budget_limit' : 'failed'
}
