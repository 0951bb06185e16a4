// Who reads an analysis right now, and since when nobody does.

export interface ReaderTracker {
  /** Somebody reads; returns how they leave. */
  listen(): () => void
  isRead(): boolean
  /** Nobody has read it for longer than it waits. */
  isOverdue(): boolean
  end(): void
}

/** Nobody reads at first. */
export function createReaderTracker(expiryMs: number, onOverdue: () => void): ReaderTracker {
  let listeners = 0
  let isOverdue = false
  let isEnded = false
  let timer: NodeJS.Timeout | undefined

  function waitForSomebody(): void {
    timer = setTimeout(() => {
      isOverdue = true
      onOverdue()
    }, expiryMs)
    timer.unref()
  }

  waitForSomebody()
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
        if (listeners === 0 && !isEnded) waitForSomebody()
      }
    },
    end() {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
