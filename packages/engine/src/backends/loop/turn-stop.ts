import type { TurnOutcome } from '@quarterdeck/protocol'
import { unlessAborted } from '../../async/unless-aborted.ts'

/** Thrown through a turn: it ends here and so. */
export class TurnStop extends Error {
  override readonly name = 'TurnStop'
  readonly outcome: TurnOutcome

  constructor(outcome: TurnOutcome, reason = '') {
    super(reason)
    this.outcome = outcome
  }
}

/** A turn's signal is aborted with its end; anything else that aborts it is an interrupt. */
export const stopOfSignal = ({ reason }: AbortSignal): TurnStop =>
  reason instanceof TurnStop ? reason : new TurnStop('interrupted')

/** What the work comes to, or the end of the turn when that comes first. For a stopped turn nothing is begun. */
export async function unlessStopped<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  try {
    return await unlessAborted(work, signal)
  } catch (error) {
    throw signal.aborted ? stopOfSignal(signal) : error
  }
}
