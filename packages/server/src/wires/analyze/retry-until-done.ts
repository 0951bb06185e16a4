import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, isQuarterdeckError } from '@quarterdeck/protocol'

export interface RetryUntilDoneOptions {
  /** Aborts when the work is no longer needed. */
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

const longestPauseMs = 15_000

/** Retries until the work is done or its object is gone; reports every other failure. */
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

/** Done elsewhere, held by another process, or gone with its turn or session. */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
  ...(['client-call.already-returned', 'client-call.not-found'] as const),
  ...(['session.not-found', 'session.closed', 'session.busy', 'session.held-elsewhere'] as const),
])
