import type { TurnOutcome } from '@quarterdeck/protocol'

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

/** What the work comes to, or the end of the turn when that comes first. What is late goes on unheard. */
export async function unlessStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) throw stopOfSignal(signal)
  const heard = new AbortController()
  try {
    return await new Promise<Value>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(stopOfSignal(signal)), { once: true, signal: heard.signal })
      work.then(resolve, reject)
    })
  } finally {
    heard.abort()
  }
}
