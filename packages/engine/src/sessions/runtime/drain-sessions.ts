// Brings the sessions of a process to rest when it shuts down.

import { withTimeout } from '@quarterdeck/protocol'
import type { Logger } from '../../ports/logger.ts'
import type { AgentProcesses } from '../launch/agent-processes.ts'
import type { HeldSessions } from '../state/held-sessions.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface Drain {
  readonly held: Pick<HeldSessions, 'retained' | 'settled'>
  readonly processes: Pick<AgentProcesses, 'stop' | 'hibernate' | 'settled'>
  readonly logger: Logger
}

/** How long stopping may take beyond the grace period, before processes are abandoned. */
const stopBoundMs = 30_000

/** Running turns may end by themselves within the grace period, then they are interrupted. Their asks stay open. */
export async function drainSessions({ held, processes, logger }: Drain, graceMs: number): Promise<void> {
  const queueStopped = processes.stop()
  const working = held.retained().filter((running) => !running.phase.isResting())
  // A turn whose answer is being handed over continues. Other waiting turns stop now and get theirs after the restart.
  const busy = working.filter((running) => running.pause.state() !== 'waiting' || running.asks.isClaimed())
  const waiting = working.filter((running) => !busy.includes(running))
  const stopped = stop(waiting, logger)
  await withTimeout(Promise.all(busy.map(({ phase }) => phase.untilRest())), graceMs)
  await Promise.all([stopped, stop(busy, logger)])
  const resident = held.retained().filter((running) => running.process.backend() !== null)
  const sleeping = resident.map((running) => processes.hibernate(running, 'drain'))
  await withTimeout(Promise.all([queueStopped, ...sleeping]), stopBoundMs)
}

/** Stops every turn at once and releases every session. */
export async function closeSessions(
  { held, processes, logger }: Drain,
  release: (running: RunningSession) => Promise<void>,
): Promise<void> {
  const stopped = processes.stop()
  await held.settled()
  const all = held.retained()
  await stop(all, logger)
  await withTimeout(Promise.all([stopped, ...all.map(release)]), stopBoundMs)
  await withTimeout(processes.settled(), stopBoundMs)
}

async function stop(sessions: readonly RunningSession[], logger: Logger): Promise<void> {
  for (const { phase } of sessions) phase.detach()
  const isStopped =
    (await withTimeout(Promise.all(sessions.map(({ phase }) => phase.untilRest())), stopBoundMs)) !== null
  if (!isStopped)
    logger.error({ sessions: sessions.length }, 'turns did not stop in time: the next start recovers them')
}
