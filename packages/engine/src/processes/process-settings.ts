// How many agent processes a server may have, and for how long.
import { availableParallelism, freemem } from 'node:os'

export interface ProcessSettings {
  /** The limit of agent processes, including resting ones and spares. */
  readonly maxResident: number
  /** The limit of running turns. Turns that wait for an answer do not count. */
  readonly maxRunningTurns: number
  /** The limit of processes that start at once: on a full machine, parallel starts slow each other down. */
  readonly maxStarting: number
  /** A session that rests this long hibernates. */
  readonly hibernateAfterMs: number
  /** A process that has only waited for an answer this long ends. Its asks stay open. */
  readonly hibernateWaitingAfterMs: number
  /** With less free memory than this, no process is added and the longest resting ones end. */
  readonly memoryFloorBytes: number
  /** A process this old or this big is replaced after its turn, because it never shrinks. */
  readonly recycleAfterTurns: number
  readonly recycleAboveBytes: number
  /** A turn in which nothing happens for this long is stopped. */
  readonly stuckAfterMs: number
  /** Whether a spare process is kept ready for the next session of an agent in use. */
  readonly spares: boolean
  readonly maxSpares: number
  /** An unclaimed spare ends after this time. */
  readonly spareIdleMs: number
  /** A caller that needs a process outside of a turn is refused after this time. */
  readonly lendPatienceMs: number
  /** How long a process may take to end, before it is abandoned. A turn that is told to stop has half of it. */
  readonly endPatienceMs: number
}

const mebibyte = 1024 * 1024
const minute = 60_000
/** The size a process may grow to. A new one has about half of it (measured). */
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
