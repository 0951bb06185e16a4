// Tracks the readers of an analysis, and since when it has none.

export interface ReaderTracker {
  /** Adds a reader; the returned function removes it. */
  listen(): () => void
  isRead(): boolean
  /** It has had no reader for longer than the limit. */
  isOverdue(): boolean
  end(): void
}

/** It starts without a reader. */
export function createReaderTracker(expiryMs: number, onOverdue: () => void): ReaderTracker {
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
    isRead: () => listeners > 0,
    isOverdue: () => isOverdue,
    listen() {
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
