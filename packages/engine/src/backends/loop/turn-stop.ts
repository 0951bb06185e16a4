import { type TurnOutcome, unlessAborted } from '@quarterdeck/protocol'

/** Thrown to end the turn with an outcome. */
export class TurnStop extends Error {
  override readonly name = 'TurnStop'
  readonly outcome: TurnOutcome

  constructor(outcome: TurnOutcome, reason = '') {
    super(reason)
    this.outcome = outcome
  }
}

/** A `TurnStop` as the abort reason ends the turn that way. Any other abort is an interrupt. */
export const stopOfSignal = ({ reason }: AbortSignal): TurnStop =>
  reason instanceof TurnStop ? reason : new TurnStop('interrupted')

/** The result of the work, or a rejection with `TurnStop` if the turn stops first. A stopped turn starts no work. */
export async function unlessStopped<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  try {
    signal.throwIfAborted()
    return await unlessAborted(work(), signal)
  } catch (error) {
    throw signal.aborted ? stopOfSignal(signal) : error
  }
}
