// Events arrive faster than a screen can show them, so they are folded once per frame, in order.

export type Schedule = (run: () => void) => () => void

export function createAnimationFrameQueue<Item>(
  take: (items: readonly Item[]) => void,
  schedule: Schedule = nextFrame,
) {
  let waiting: Item[] = []
  let cancel: (() => void) | undefined

  function flush(): void {
    cancel?.()
    cancel = undefined
    if (waiting.length === 0) return
    const items = waiting
    waiting = []
    take(items)
  }

  return {
    push(item: Item) {
      waiting.push(item)
      cancel ??= schedule(flush)
    },
    /** Hands over the waiting items now. */
    flush,
    dispose() {
      cancel?.()
      cancel = undefined
      waiting = []
    },
  }
}

/** A hidden page gets no animation frames. The timer keeps its title and log current. */
const nextFrame: Schedule = (run) => {
  const timer = setTimeout(run, 100)
  if (typeof requestAnimationFrame === 'undefined') return () => clearTimeout(timer)
  const frame = requestAnimationFrame(run)
  return () => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }
}
