import type { TurnOutcome } from '@quarterdeck/protocol'
import { unlessAborted } from '../../unless-aborted.ts'

/** Thrown through a turn: it ends here and so. */
export class TurnStop extends Error {
  override readonly name = 'TurnStop'
  readonly outcome: TurnOutcome

  constructor(outcome: TurnOutcome, reason = '') {
    super(reason)
    this.outcome = outcome
  }
}

/** Why a turn's signal was aborted; anything else that aborts it is an interrupt. */
export const crash = Symbol('crash')

export const stopOfSignal = (signal: AbortSignal): TurnStop =>
  new TurnStop(signal.reason === crash ? 'crashed' : 'interrupted')

/** What the work comes to, or the end of the turn when that comes first. For a stopped turn nothing is begun. */
export async function unlessStopped<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  try {
    return await unlessAborted(work, signal)
  } catch (error) {
    throw signal.aborted ? stopOfSignal(signal) : error
  }
}
