// The phase of a session in this process: it rests, waits for a slot, or runs a turn. Only this file changes its phase.
import type { Limits } from '@quarterdeck/protocol'
import type { WorkTimer } from '../../async/work-timer.ts'
import type { IdleTimes } from '../../processes/session-with-process.ts'
import type { TurnSlot } from '../../processes/turn-slot.ts'
import type { PausedTurn } from './turn-pause.ts'

type Phase =
  | { readonly type: 'resting' }
  /** Work during which no turn starts: a fork, a rewind, a deletion. */
  | ({ readonly type: 'occupied' } & Busy)
  /** The turn loop waits for a slot, or is between two turns. */
  | ({ readonly type: 'queued' } & Busy)
  /** The turn has a slot. No agent works on it yet. */
  | ({ readonly type: 'starting' } & Turn)
  | ({ readonly type: 'running' } & RunningTurn)
  /** The agent has stopped. The end of the turn is being logged. */
  | ({ readonly type: 'ending' } & EndingTurn)

interface Busy {
  /** Resolves when the session rests. */
  readonly over: Promise<void>
}

interface Turn extends Busy {
  readonly slot: TurnSlot
  readonly abort: AbortController
}

interface RunningTurn extends Turn, IdleTimes {
  /** Measures the working time. */
  readonly timer: WorkTimer
  /** Model requests in flight. */
  readonly requests: ReadonlySet<string>
  /** The status with which the provider refused the key. */
  readonly refusedKey: number | null
  /** Called once, when nothing has happened for too long; `null` after that. */
  readonly onStuck: (() => void) | null
}

interface EndingTurn extends Turn {
  readonly refusedKey: number | null
  /** The limits of the process that ran the turn, if it is still open. */
  readonly openedWith: Limits | undefined
  /** The agent has got the message of the turn. */
  readonly isHandedOver: boolean
  /** The process has died: the asks of the turn stay open. */
  readonly hasCrashed: boolean
}

export type SessionPhase = ReturnType<typeof createSessionPhase>

const resting = { type: 'resting' } as const
const noRequests: ReadonlySet<string> = new Set()

export function createSessionPhase() {
  let phase: Phase = resting
  /** Aborts when the engine, not a person, ends the turn. */
  let detaching = new AbortController()
  let isLost = false

  const illegal = (transition: string): Error => new Error(`cannot ${transition}: the session is ${phase.type}`)
  const turn = (): Turn | null => ('slot' in phase ? phase : null)
  const abortTurn = (): void => turn()?.abort.abort()

  function changeRunning(change: (running: RunningTurn) => Partial<RunningTurn>): void {
    if (phase.type === 'running') phase = { ...phase, ...change(phase) }
  }

  function leaveRest(type: 'occupied' | 'queued'): () => void {
    if (phase.type !== 'resting') throw illegal('start work')
    let resolve: () => void = () => undefined
    const over = new Promise<void>((resolved) => {
      resolve = resolved
    })
    phase = { type, over }
    return () => {
      if (phase.type === 'resting' || phase.type !== type || phase.over !== over) throw illegal('rest')
      phase = resting
      resolve()
    }
  }

  return {
    type: () => phase.type,
    isResting: () => phase.type === 'resting',
    untilRest: async (): Promise<void> => (phase.type === 'resting' ? undefined : phase.over),
    hasTurn: () => turn() !== null,
    watchedTurn: () => (phase.type === 'running' && phase.onStuck !== null ? phase : null),
    endingTurn(): EndingTurn {
      if (phase.type !== 'ending') throw illegal('read the end of a turn')
      return phase
    },
    pausedTurn: (): PausedTurn => ({
      timer: phase.type === 'running' ? phase.timer : null,
      turnSlot: turn()?.slot ?? null,
    }),
    /** Aborts with the turn; `null` without one. */
    signal: (): AbortSignal | null => turn()?.abort.signal ?? null,
    requests: () => (phase.type === 'running' ? phase.requests : noRequests),
    /** From here on no answer reaches the turn. */
    isStopping: () => detaching.signal.aborted || turn()?.abort.signal.aborted === true,
    isDetaching: () => detaching.signal.aborted,
    /** Aborts when the session detaches from its turn. */
    detachSignal: (): AbortSignal => detaching.signal,
    isLost: () => isLost,
    /** The asks of the turn stay open and can be answered before its end is logged. */
    keepsAsks: () => detaching.signal.aborted || (phase.type === 'ending' && phase.hasCrashed),

    /** resting → occupied. The returned function brings the session to rest again. */
    occupy: () => leaveRest('occupied'),
    /** resting → queued. The returned function brings the session to rest again. */
    queue: () => leaveRest('queued'),
    /** queued → starting */
    beginTurn(slot: TurnSlot): AbortController {
      if (phase.type !== 'queued') throw illegal('begin a turn')
      const abort = new AbortController()
      phase = { type: 'starting', over: phase.over, slot, abort }
      return abort
    },
    /** starting → running */
    runTurn(started: Pick<RunningTurn, 'timer' | 'onStuck'>): void {
      if (phase.type !== 'starting') throw illegal('run a turn')
      phase = { ...phase, type: 'running', ...started, requests: noRequests, refusedKey: null, quietMs: 0, waitedMs: 0 }
    },
    /** running → ending */
    stopTurn(end: Pick<EndingTurn, 'openedWith' | 'isHandedOver'>): void {
      if (phase.type !== 'running') throw illegal('stop a turn')
      const { over, slot, abort, refusedKey } = phase
      phase = { type: 'ending', over, slot, abort, refusedKey, ...end, hasCrashed: false }
    },
    /** ending → ending, with a dead process */
    markCrashed(): void {
      if (phase.type !== 'ending') throw illegal('mark a crash')
      phase = { ...phase, hasCrashed: true }
    },
    /** starting or ending → queued. Frees the slot. */
    endTurn(): void {
      if (phase.type !== 'starting' && phase.type !== 'ending') throw illegal('end a turn')
      const { over, slot } = phase
      phase = { type: 'queued', over }
      slot.leave()
    },

    abortTurn,
    /** The backend has reported something. */
    noteActivity(): void {
      // Called for every token: allocates only if there is something to reset.
      if (phase.type === 'running' && phase.quietMs + phase.waitedMs > 0) phase = { ...phase, quietMs: 0, waitedMs: 0 }
    },
    countIdle: (times: IdleTimes) => changeRunning(() => times),
    stopStuck(): void {
      if (phase.type !== 'running' || phase.onStuck === null) return
      const { onStuck } = phase
      phase = { ...phase, onStuck: null }
      onStuck()
    },
    beginRequest: (id: string) => changeRunning(({ requests }) => ({ requests: new Set([...requests, id]) })),
    endRequest: (id: string) =>
      changeRunning(({ requests }) => ({ requests: new Set([...requests].filter((other) => other !== id)) })),
    /** The provider refused the key: the turn stops. */
    refuseKey(refusedKey: number): void {
      changeRunning(() => ({ refusedKey }))
      abortTurn()
    },
    detach(): void {
      detaching.abort()
      abortTurn()
    },
    reattach(): void {
      if (detaching.signal.aborted && !isLost) detaching = new AbortController()
    },
    /** Another server has taken the session: nothing new starts here. */
    lose(): void {
      isLost = true
      detaching.abort()
      abortTurn()
    },
  }
}
