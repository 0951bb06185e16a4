/** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
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
