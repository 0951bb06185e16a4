// For work on a session that no turn may disturb: forking, rewinding, deleting.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { requireResting } from '../rules/invariants.ts'
import type { Coordinator } from '../runtime/coordinator.ts'
import type { RunningSession } from '../state/running-session.ts'

/** Runs the work without a turn beside it; new messages stay queued. Throws `session.busy` while a turn runs. */
export async function whileResting<Result>(
  coordinator: Pick<Coordinator, 'releaseIfClosed' | 'kick'>,
  running: RunningSession,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await occupy(running, work)
  } finally {
    await coordinator.releaseIfClosed(running)
    coordinator.kick(running)
  }
}

/** As `whileResting`, for work after which the session does not continue. */
export async function occupy<Result>(running: RunningSession, work: () => Promise<Result>): Promise<Result> {
  const { sessionId, status } = requireResting(running.writer.state())
  if (!running.phase.isResting()) {
    throw new QuarterdeckError('session.busy', `session ${sessionId} is ${status}: try again when it is idle`)
  }
  const rest = running.phase.occupy()
  try {
    return await work()
  } finally {
    rest()
  }
}
