// One reason to stop work: timeout or cancellation, whichever comes first.
import { EngineError } from '../domain/query-engine.ts'

export type Stop = ReturnType<typeof createStop>

export function createStop({ signal, timeoutMs }: { signal?: AbortSignal | undefined; timeoutMs?: number }) {
  let reason: EngineError | null = null
  const listeners: (() => void)[] = []
  const stop = (why: EngineError): void => {
    if (reason !== null) return
    reason = why
    for (const listener of listeners) listener()
  }
  const onAbort = (): void => stop(new EngineError('cancelled', 'The query was cancelled.'))
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop(new EngineError('timeout', tooLong(timeoutMs))), timeoutMs)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  return {
    /** The reason, once there is one. */
    reason: (): EngineError | null => reason,
    /** Calls back once when there is a reason, immediately if there is one already. */
    onStop: (listener: () => void): void => (reason === null ? void listeners.push(listener) : listener()),
    /** Releases the timer and the signal. */
    release() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

const tooLong = (timeoutMs: number): string =>
  `The query was stopped after ${Math.round(timeoutMs / 100) / 10} s. Narrow it: filter first, aggregate, or join on keys.`
