// While a turn only waits for answers, its working time stops and its slot is free for others.

import type { WorkTimer } from '../../async/work-timer.ts'
import type { TurnSlot } from '../../processes/turn-slot.ts'

export type TurnPause = ReturnType<typeof createTurnPause>

export interface PausedTurn {
  readonly timer: WorkTimer | null
  readonly turnSlot: TurnSlot | null
}

export interface TurnPauseOptions {
  readonly current: () => PausedTurn
  /** True while anything happens in the turn besides waiting. */
  readonly isWorking: () => boolean
}

export function createTurnPause({ current, isWorking }: TurnPauseOptions) {
  let waits = 0
  let returns = 0
  let paused: PausedTurn | null = null
  let continuing: Promise<void> = Promise.resolve()

  function stop(): void {
    const { timer, turnSlot } = current()
    paused = { timer, turnSlot }
    timer?.pause()
    turnSlot?.pause()
  }

  async function continueTurn({ timer, turnSlot }: PausedTurn): Promise<void> {
    paused = null
    returns += 1
    await turnSlot?.resume()
    returns -= 1
    timer?.resume()
  }

  /** Call after something in the turn has begun or ended. Checks whether the turn still works. */
  function review(): void {
    const isIdle = waits > 0 && !isWorking()
    if (isIdle && paused === null) stop()
    else if (!isIdle && paused !== null) continuing = continueTurn(paused)
  }

  return {
    /** The turn waits for an answer. Call once per pending answer. */
    begin(): void {
      waits += 1
      review()
    },
    /** One answer has arrived, or will not come: its asker continues, although others may still wait. */
    end(): void {
      waits -= 1
      if (paused !== null) continuing = continueTurn(paused)
    },
    review,
    /** Resolves when the turn may continue. Askers wait for this before they use an answer. */
    over: (): Promise<void> => continuing,
    state: (): 'off' | 'waiting' | 'returning' => (paused !== null ? 'waiting' : returns > 0 ? 'returning' : 'off'),
  }
}
