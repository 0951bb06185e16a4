// Only so many agent processes start at once: on a busy machine more take longer together than one after the other.

export interface StartQueue {
  /**
   * Resolves when a process may start, with what says that it has. Whoever somebody waits for goes first. One whose
   * signal aborts leaves the line and is not waited for: it has to look at the signal before it starts anything.
   */
  enter(urgency: 'awaited' | 'ahead', signal: AbortSignal): Promise<() => void>
}

/** A start that takes longer than this no longer keeps the others from theirs. */
const startTimeoutMs = 30_000

export function createStartQueue(maxStarting: number): StartQueue {
  const queues = { awaited: [] as (() => void)[], ahead: [] as (() => void)[] }
  let starting = 0

  function next(): void {
    if (starting >= maxStarting) return
    const go = queues.awaited.shift() ?? queues.ahead.shift()
    if (go === undefined) return
    starting += 1
    go()
  }

  function occupy(): () => void {
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      starting -= 1
      next()
    }
    const timer = setTimeout(leave, startTimeoutMs)
    timer.unref()
    return leave
  }

  return {
    enter: (urgency, signal) =>
      new Promise((resolve) => {
        const giveUp = () => {
          queues[urgency].splice(queues[urgency].indexOf(go), 1)
          resolve(() => undefined)
        }
        const go = () => {
          signal.removeEventListener('abort', giveUp)
          resolve(occupy())
        }
        if (signal.aborted) return resolve(() => undefined)
        signal.addEventListener('abort', giveUp, { once: true })
        queues[urgency].push(go)
        next()
      }),
  }
}
