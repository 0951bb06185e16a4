// Tracks the readers of an analysis, and since when it has none.

export type ReaderTracker = ReturnType<typeof createReaderTracker>

/** It starts without a reader. */
export function createReaderTracker(expiryMs: number, onOverdue: () => void) {
  let listeners = 0
  let isOverdue = false
  let isEnded = false
  let timer: NodeJS.Timeout | undefined

  function startTimer(): void {
    timer = setTimeout(() => {
      isOverdue = true
      onOverdue()
    }, expiryMs)
    timer.unref()
  }

  startTimer()
  return {
    isRead: (): boolean => listeners > 0,
    /** It has had no reader for longer than the limit. */
    isOverdue: (): boolean => isOverdue,
    /** Adds a reader; the returned function removes it. */
    listen(): () => void {
      listeners += 1
      isOverdue = false
      clearTimeout(timer)
      let isThere = true
      return () => {
        if (!isThere) return
        isThere = false
        listeners -= 1
        if (listeners === 0 && !isEnded) startTimer()
      }
    },
    end() {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
