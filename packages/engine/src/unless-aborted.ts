/**
 * What the work comes to, or the signal's reason thrown as soon as it aborts. What is for nobody any more is not begun;
 * what is late goes on, and nobody hears of it.
 */
export async function unlessAborted<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const heard = new AbortController()
  try {
    return await new Promise<Value>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: heard.signal })
      work().then(resolve, reject)
    })
  } finally {
    heard.abort()
  }
}
