// How many agent processes this house holds, and for how long.
import { availableParallelism, freemem } from 'node:os'

export interface ProcessSettings {
  /** Agent processes at the same time, resting ones and spares included. */
  readonly maxResident: number
  /** Turns at the same time. One that waits for somebody does not count. */
  readonly maxRunningTurns: number
  /** Processes that start at the same time: starts on a full machine only slow each other down. */
  readonly maxStarting: number
  /** A session that rests so long goes to sleep. */
  readonly hibernateAfterMs: number
  /** A process that only waits for somebody goes after so long; what it asked stays open. */
  readonly hibernateWaitingAfterMs: number
  /** With less free memory than this no process is added, and the longest resting ones go. */
  readonly memoryFloorBytes: number
  /** A process this old or this big is replaced after its turn: it does not shrink by itself. */
  readonly recycleAfterTurns: number
  readonly recycleAboveBytes: number
  /** A turn in which nothing at all happens for so long is stopped. */
  readonly stuckAfterMs: number
  /** A process kept ready for the next new session of an agent in use. */
  readonly spares: boolean
  readonly maxSpares: number
  /** A spare nobody took goes after so long. */
  readonly spareIdleMs: number
  /** Who needs a process outside of a turn is refused when none is free for so long. */
  readonly lendPatienceMs: number
  /** What a process may take to end; a turn that is told to stop has half of it. Then it is left to die by itself. */
  readonly endPatienceMs: number
}

const mebibyte = 1024 * 1024
const minute = 60_000
/** What a process may grow to; a fresh one has about half of it (measured). */
export const bytesPerProcess = 200 * mebibyte

export function processSettings(given: Partial<ProcessSettings> = {}): ProcessSettings {
  const cores = availableParallelism()
  return {
    maxResident: Math.max(1, Math.floor(freemem() / bytesPerProcess)),
    maxRunningTurns: 10 * cores,
    maxStarting: Math.max(1, Math.floor(cores / 2)),
    hibernateAfterMs: 5 * minute,
    hibernateWaitingAfterMs: 30 * minute,
    memoryFloorBytes: 256 * mebibyte,
    recycleAfterTurns: 200,
    recycleAboveBytes: 300 * mebibyte,
    stuckAfterMs: 10 * minute,
    spares: true,
    maxSpares: 2,
    spareIdleMs: 10 * minute,
    lendPatienceMs: minute / 2,
    endPatienceMs: minute / 2,
    ...given,
  }
}
