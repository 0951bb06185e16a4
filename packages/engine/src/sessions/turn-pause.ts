// While a turn waits for somebody its working time stands still, and its place belongs to others.
import type { TurnPlace } from '../processes/turn-place.ts'
import type { WorkTimer } from './work-timer.ts'

export interface TurnPause {
  /** Somebody is waited for; as often as there are answers to come. */
  begin(): void
  /** One of them answered, or will not any more. */
  end(): void
  /** Resolves when the turn may go on: whoever waited for an answer waits for this too before it uses it. */
  over(): Promise<void>
  state(): 'off' | 'waiting' | 'returning'
}

export interface PausedTurn {
  readonly timer: WorkTimer | null
  readonly place: TurnPlace | null
}

export function createTurnPause(current: () => PausedTurn): TurnPause {
  let waits = 0
  let returns = 0
  let going: Promise<void> = Promise.resolve()

  async function goOn({ timer, place }: PausedTurn): Promise<void> {
    returns += 1
    await place?.resume()
    returns -= 1
    timer?.resume()
  }

  return {
    begin() {
      waits += 1
      if (waits > 1) return
      const { timer, place } = current()
      timer?.pause()
      place?.pause()
    },
    end() {
      waits -= 1
      if (waits === 0) going = goOn(current())
    },
    over: () => going,
    state: () => (waits > 0 ? 'waiting' : returns > 0 ? 'returning' : 'off'),
  }
}
