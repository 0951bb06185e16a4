// How many agent processes a server may have, and for how long.
import { availableParallelism, freemem } from 'node:os'

export type ProcessSettings = Readonly<ReturnType<typeof defaultSettings>>

const mebibyte = 1024 * 1024
const minute = 60_000
/** The size a process may grow to. A new one has about half of it (measured). */
export const bytesPerProcess = 200 * mebibyte

export function processSettings(given: Partial<ProcessSettings> = {}): ProcessSettings {
  return { ...defaultSettings(), ...given }
}

function defaultSettings() {
  const cores = availableParallelism()
  return {
    /** The limit of agent processes, including resting ones and spares. */
    maxResident: Math.max(1, Math.floor(freemem() / bytesPerProcess)),
    /** The limit of running turns. Turns that wait for an answer do not count. */
    maxRunningTurns: 10 * cores,
    /** The limit of processes that start at once: on a full machine, parallel starts slow each other down. */
    maxStarting: Math.max(1, Math.floor(cores / 2)),
    /** A session that rests this long hibernates. */
    hibernateAfterMs: 5 * minute,
    /** A process that has only waited for an answer this long ends. Its asks stay open. */
    hibernateWaitingAfterMs: 30 * minute,
    /** With less free memory than this, no process is added and the longest resting ones end. */
    memoryFloorBytes: 256 * mebibyte,
    /** A process this old or this big is replaced after its turn, because it never shrinks. */
    recycleAfterTurns: 200,
    recycleAboveBytes: 300 * mebibyte,
    /** A turn in which nothing happens for this long is stopped. */
    stuckAfterMs: 10 * minute,
    /** Whether a spare process is kept ready for the next session of an agent in use. */
    spares: true,
    maxSpares: 2,
    /** An unclaimed spare ends after this time. */
    spareIdleMs: 10 * minute,
    /** A caller that needs a process outside of a turn is refused after this time. */
    lendTimeoutMs: minute / 2,
    /** How long a process may take to end, before it is abandoned. A stopping turn has half of it. */
    endTimeoutMs: minute / 2,
  }
}
