export interface SleepOptions {
  /** `false`: the timer does not keep a Node process running. */
  readonly ref?: boolean
}

/**
 * Resolves after `ms`, or as soon as the signal aborts. Never rejects: callers that must not continue call
 * `signal.throwIfAborted()`.
 */
export function sleep(ms: number, signal?: AbortSignal, { ref = true }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (!ref) unref(timer)
    signal?.addEventListener('abort', done)
  })
}

/** Timers of browsers are numbers and keep nothing running. */
function unref(timer: number | { unref(): void }): void {
  if (typeof timer === 'object') timer.unref()
}

/** Resolves with `null` if the work takes longer. The work itself continues, and its late result is ignored. */
export async function withTimeout<Value>(work: Promise<Value>, limitMs: number): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

export interface BackoffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

/** Doubles with each failed attempt, counted from 1. Callers add their jitter. */
export const backoffDelay = (attempt: number, { firstMs, longestMs }: BackoffBounds): number =>
  Math.min(longestMs, firstMs * 2 ** (attempt - 1))
