// A provider that falls silent before or in the middle of an answer holds a turn for as long as it likes: somebody has to let go.

export interface SilenceWatch {
  /** Something came, or is waited for again. */
  reset(): void
  /** The silence is not the provider's: the client does not read. */
  pause(): void
  end(): void
}

/** 0 waits for ever. */
export function watchSilence(limitMs: number, onSilence: () => void): SilenceWatch {
  let timer: NodeJS.Timeout | undefined
  const pause = () => clearTimeout(timer)
  const reset = () => {
    pause()
    if (limitMs > 0) timer = setTimeout(onSilence, limitMs)
  }
  reset()
  return { reset, pause, end: pause }
}
