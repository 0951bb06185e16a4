// While a turn does nothing but wait for somebody its working time stands still, and its place belongs to others.

import type { WorkTimer } from '../../async/work-timer.ts'
import type { TurnSlot } from '../../processes/turn-slot.ts'

export interface TurnPause {
  /** Somebody is waited for; as often as there are answers to come. */
  begin(): void
  /** One of them answered, or will not any more: whoever asked goes on, though others may still wait. */
  end(): void
  /** Something in the turn has begun or ended: is it still at work? */
  review(): void
  /** Resolves when the turn may go on: whoever waited for an answer waits for this too before it uses it. */
  over(): Promise<void>
  state(): 'off' | 'waiting' | 'returning'
}

export interface PausedTurn {
  readonly timer: WorkTimer | null
  readonly turnSlot: TurnSlot | null
}

export interface TurnPauseOptions {
  readonly current: () => PausedTurn
  /** True while anything happens in the turn besides waiting. */
  readonly isWorking: () => boolean
}

export function createTurnPause({ current, isWorking }: TurnPauseOptions): TurnPause {
  let waits = 0
  let returns = 0
  let paused: PausedTurn | null = null
  let going: Promise<void> = Promise.resolve()

  function stop(): void {
    const { timer, turnSlot } = current()
    paused = { timer, turnSlot }
    timer?.pause()
    turnSlot?.pause()
  }

  async function goOn({ timer, turnSlot }: PausedTurn): Promise<void> {
    paused = null
    returns += 1
    await turnSlot?.resume()
    returns -= 1
    timer?.resume()
  }

  function review(): void {
    const isIdle = waits > 0 && !isWorking()
    if (isIdle && paused === null) stop()
    else if (!isIdle && paused !== null) going = goOn(paused)
  }

  return {
    begin() {
      waits += 1
      review()
    },
    end() {
      waits -= 1
      if (paused !== null) going = goOn(paused)
    },
    review,
    over: () => going,
    state: () => (paused !== null ? 'waiting' : returns > 0 ? 'returning' : 'off'),
  }
}
