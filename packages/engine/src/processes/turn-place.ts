// A running turn's place among those that run: given back while it waits for somebody, taken again before it goes on.

export interface TurnPlace {
  /** The turn waits for somebody. */
  pause(): void
  /** Resolves when the turn may go on: before all that have not begun, or at once when it has ended meanwhile. */
  resume(): Promise<void>
  /** The turn is over. */
  leave(): void
}

export interface TurnPlaceOptions {
  readonly release: () => void
  /** Calls back when there is room, at once or later; what it returns gives up. */
  readonly standInFront: (admitted: () => void) => () => void
}

export function createTurnPlace({ release, standInFront }: TurnPlaceOptions): TurnPlace {
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
        giveUp = standInFront(() => {
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
