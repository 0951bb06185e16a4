export interface PollOptions {
  readonly everyMs: number
  /** While false, the next round waits until the page becomes visible. */
  readonly isVisible?: () => boolean
  /** Subscribes to visibility changes. */
  readonly onVisibility?: (listener: () => void) => () => void
}

/** Runs a task at an interval, one round at a time, until stopped. The task handles its own failures. */
export function poll(task: () => Promise<void>, options: PollOptions): () => void {
  const isVisible = options.isVisible ?? pageIsVisible
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let isStopped = false

  async function round(): Promise<void> {
    clearTimeout(timer)
    if (isStopped || isRunning || !isVisible()) return
    isRunning = true
    try {
      await task()
    } finally {
      isRunning = false
      if (!isStopped) timer = setTimeout(() => void round(), options.everyMs)
    }
  }

  const unsubscribe = (options.onVisibility ?? watchPage)(() => void round())
  void round()
  return () => {
    isStopped = true
    clearTimeout(timer)
    unsubscribe()
  }
}

const pageIsVisible = (): boolean => typeof document === 'undefined' || document.visibilityState === 'visible'

function watchPage(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
