/**
 * Runs work that ends with either signal. Removes its listeners afterwards, because a signal may live as long as the
 * process.
 */
export async function linkSignals<Result>(
  signals: readonly [AbortSignal, AbortSignal],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController()
  const follow = signals.map((signal) => {
    const abort = () => own.abort(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    return () => signal.removeEventListener('abort', abort)
  })
  try {
    return await work(own.signal)
  } finally {
    for (const stop of follow) stop()
  }
}
