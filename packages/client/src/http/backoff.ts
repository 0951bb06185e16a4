export interface Backoff {
  /** Milliseconds to wait before the next try: doubles from 250 ms to 15 s, with jitter. */
  next(): number
  reset(): void
}

export function createBackoff(random: () => number = Math.random): Backoff {
  let failures = 0
  return {
    next() {
      const ceiling = Math.min(15_000, 250 * 2 ** failures)
      failures += 1
      return ceiling / 2 + (ceiling / 2) * random()
    },
    reset() {
      failures = 0
    },
  }
}

/** Resolves early when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}

/** Rejects with the signal's reason when it aborts. What is waited for goes on. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    signal.addEventListener('abort', give, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}
