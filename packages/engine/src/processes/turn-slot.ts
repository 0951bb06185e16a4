// A running turn's place among those that run: given back while it waits for somebody, taken again before it goes on.

export interface TurnSlot {
  /** The turn waits for somebody. */
  pause(): void
  /** Resolves when the turn may go on: before all that have not begun, or at once when it has ended meanwhile. */
  resume(): Promise<void>
  /** The turn is over. */
  leave(): void
}

export interface TurnSlotOptions {
  readonly release: () => void
  /** Calls back when there is room, at once or later; what it returns gives up. */
  readonly requeueFirst: (admitted: () => void) => () => void
}

export function createTurnSlot({ release, requeueFirst }: TurnSlotOptions): TurnSlot {
  let state: 'running' | 'paused' | 'returning' | 'left' = 'running'
  let goOn: () => void = () => undefined
  let giveUp: () => void = () => undefined

  function stepBack(next: 'paused' | 'left'): void {
    const before = state
    state = next
    if (before === 'running') release()
    if (before !== 'returning') return
    giveUp()
    goOn()
  }

  return {
    pause() {
      if (state !== 'left') stepBack('paused')
    },
    resume() {
      if (state !== 'paused') return Promise.resolve()
      state = 'returning'
      return new Promise((resolve) => {
        goOn = resolve
        giveUp = requeueFirst(() => {
          state = 'running'
          resolve()
        })
      })
    },
    leave() {
      if (state !== 'left') stepBack('left')
    },
  }
}
