/**
 * What the work comes to, or the signal's reason thrown as soon as it aborts. What is for nobody any more is not begun;
 * what is late goes on, and nobody hears of it.
 */
export async function unlessAborted<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  let onAbort: () => void = () => undefined
  try {
    return await new Promise<Value>((resolve, reject) => {
      onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      work().then(resolve, reject)
    })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
