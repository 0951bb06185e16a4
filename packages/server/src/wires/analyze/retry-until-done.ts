import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, isQuarterdeckError } from '@quarterdeck/protocol'

export interface RetryUntilDoneOptions {
  /** Nobody needs it any more. */
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

const longestPauseMs = 15_000

/** Does it until it is done, or until there is nothing to do it to; whatever else goes wrong is told, and passes. */
export async function retryUntilDone(
  work: () => Promise<void>,
  { signal, onFailure }: RetryUntilDoneOptions,
): Promise<void> {
  for (let pauseMs = 250; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await work()
    } catch (error) {
      if (isQuarterdeckError(error) && finalCodes.has(error.code)) return
      onFailure(error)
    }
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined) // aborted
  }
}

/** Somebody else was faster, another process has it, or it is gone with its turn or its session. */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
  ...(['client-call.already-returned', 'client-call.not-found'] as const),
  ...(['session.not-found', 'session.closed', 'session.busy', 'session.held-elsewhere'] as const),
])
