// Only so many agent processes start at once: on a busy machine more take longer together than one after the other.

export interface StartLine {
  /**
   * Resolves when a process may start, with what says that it has. Whoever somebody waits for goes first. One whose
   * signal aborts leaves the line and is not waited for: it has to look at the signal before it starts anything.
   */
  enter(urgency: 'awaited' | 'ahead', signal: AbortSignal): Promise<() => void>
}

/** A start that takes longer than this no longer keeps the others from theirs. */
const patienceMs = 30_000

export function createStartLine(maxStarting: number): StartLine {
  const lines = { awaited: [] as (() => void)[], ahead: [] as (() => void)[] }
  let starting = 0

  function next(): void {
    if (starting >= maxStarting) return
    const go = lines.awaited.shift() ?? lines.ahead.shift()
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
    const timer = setTimeout(leave, patienceMs)
    timer.unref()
    return leave
  }

  return {
    enter: (urgency, signal) =>
      new Promise((resolve) => {
        const giveUp = () => {
          lines[urgency].splice(lines[urgency].indexOf(go), 1)
          resolve(() => undefined)
        }
        const go = () => {
          signal.removeEventListener('abort', giveUp)
          resolve(occupy())
        }
        if (signal.aborted) return resolve(() => undefined)
        signal.addEventListener('abort', giveUp, { once: true })
        lines[urgency].push(go)
        next()
      }),
  }
}
