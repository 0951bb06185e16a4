// The slot of a running turn: released while the turn waits for an answer, taken again before it continues.

export type TurnSlot = ReturnType<typeof createTurnSlot>

export interface TurnSlotOptions {
  readonly release: () => void
  /** Calls back when there is capacity, at once or later. Returns a function that leaves the queue. */
  readonly requeueFirst: (admitted: () => void) => () => void
}

export function createTurnSlot({ release, requeueFirst }: TurnSlotOptions) {
  let state: 'running' | 'paused' | 'returning' | 'left' = 'running'
  let resolveResume: () => void = () => undefined
  let leaveQueue: () => void = () => undefined

  function giveUpSlot(next: 'paused' | 'left'): void {
    const before = state
    state = next
    if (before === 'running') release()
    if (before !== 'returning') return
    leaveQueue()
    resolveResume()
  }

  return {
    /** The turn waits for an answer. */
    pause() {
      if (state !== 'left') giveUpSlot('paused')
    },
    /** Resolves when the turn may continue: ahead of turns that have not begun, at once if it has ended meanwhile. */
    resume(): Promise<void> {
      if (state !== 'paused') return Promise.resolve()
      state = 'returning'
      return new Promise((resolve) => {
        resolveResume = resolve
        leaveQueue = requeueFirst(() => {
          state = 'running'
          resolve()
        })
      })
    },
    /** The turn is over. */
    leave() {
      if (state !== 'left') giveUpSlot('left')
    },
  }
}
