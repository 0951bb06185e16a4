// Limits how long a provider may be silent before or in the middle of an answer. Without a limit it could block a turn
// forever.

/** 0 for no limit. */
export function watchSilence(limitMs: number, onSilence: () => void) {
  let timer: NodeJS.Timeout | undefined
  /** The client does not read, so the provider is not silent. */
  const pause = () => clearTimeout(timer)
  /** Restarts the time after data arrived, or when data is expected again. */
  const reset = () => {
    pause()
    if (limitMs > 0) timer = setTimeout(onSilence, limitMs)
  }
  reset()
  return { reset, pause, end: pause }
}
