// How the sessions of a process come to rest when it shuts down.
import type { ProcessHouse } from '../processes/process-house.ts'
import type { Logger } from '../telemetry/logger.ts'
import { within } from '../within.ts'
import type { HeldSessions } from './held-sessions.ts'
import { isAnswered, type LiveSession } from './live-session.ts'

export interface Drain {
  readonly held: Pick<HeldSessions, 'kept' | 'settled'>
  readonly house: Pick<ProcessHouse, 'stop' | 'hibernate' | 'processes'>
  readonly logger: Logger
}

/** What a stop may take beyond the grace period before the process is left to die with the server. */
const stopBoundMs = 30_000

/** Running turns may end by themselves, then they are interrupted. What they asked stays open. */
export async function drainSessions({ held, house, logger }: Drain, graceMs: number): Promise<void> {
  const lineStopped = house.stop()
  const working = held.kept().filter((live) => live.working !== null)
  // One whose answer is on its way goes on with it; from here on the others hear none, and tell it after the restart.
  const busy = working.filter((live) => live.pause.state() !== 'waiting' || isAnswered(live))
  const waiting = working.filter((live) => !busy.includes(live))
  const stopped = stop(waiting, logger)
  await within(Promise.all(busy.map((live) => live.working)), graceMs)
  await Promise.all([stopped, stop(busy, logger)])
  const resident = held.kept().filter((live) => live.backend !== null)
  const sleeping = resident.map((live) => house.hibernate(live, 'drain'))
  await within(Promise.all([lineStopped, ...sleeping]), stopBoundMs)
}

/** Stops every turn at once and lets every session go. */
export async function closeSessions(
  { held, house, logger }: Drain,
  letGo: (live: LiveSession) => Promise<void>,
): Promise<void> {
  const stopped = house.stop()
  await held.settled()
  const all = held.kept()
  await stop(all, logger)
  await within(Promise.all([stopped, ...all.map(letGo)]), stopBoundMs)
  await within(house.processes.settled(), stopBoundMs)
}

async function stop(lives: readonly LiveSession[], logger: Logger): Promise<void> {
  for (const live of lives) {
    live.isDetaching = true
    live.abort?.abort()
  }
  const isStopped = (await within(Promise.all(lives.map((live) => live.working)), stopBoundMs)) !== null
  if (!isStopped) logger.error({ sessions: lives.length }, 'turns did not stop in time: the next start recovers them')
}
