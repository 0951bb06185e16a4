// Limits how many agent processes start at once: on a busy machine, parallel starts take longer than sequential ones.

export type StartQueue = ReturnType<typeof createStartQueue>

/** A start that takes longer than this no longer holds up the others. */
const startTimeoutMs = 30_000

export function createStartQueue(maxStarting: number) {
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
    /**
     * Resolves when a process may start, with a function to call when it has started. Awaited starts go first. An
     * aborted entry leaves the queue and resolves at once: the caller must check the signal before it starts anything.
     */
    enter: (urgency: 'awaited' | 'ahead', signal: AbortSignal): Promise<() => void> =>
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
