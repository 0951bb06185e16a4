// Work on a session that no turn may disturb: branching its conversation, bringing back files, deleting it.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { requireResting } from '../rules/invariants.ts'
import type { Coordinator } from '../runtime/coordinator.ts'
import type { RunningSession } from '../state/running-session.ts'

/** No turn starts until the work is done; messages that come meanwhile wait. Refused with `session.busy` while one runs. */
export async function whileResting<Result>(
  coordinator: Pick<Coordinator, 'letGoIfClosed' | 'kick'>,
  running: RunningSession,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await occupy(running, work)
  } finally {
    await coordinator.letGoIfClosed(running)
    coordinator.kick(running)
  }
}

/** As `whileResting`, for work that leaves nothing to go on with. */
export async function occupy<Result>(running: RunningSession, work: () => Promise<Result>): Promise<Result> {
  const { sessionId, status } = requireResting(running.writer.state())
  if (running.working !== null) {
    throw new QuarterdeckError('session.busy', `session ${sessionId} is ${status}: try again when it rests`)
  }
  const done = work()
  // The loop that takes messages sees somebody at work.
  running.working = done.then(
    () => undefined,
    () => undefined,
  )
  try {
    return await done
  } finally {
    running.working = null
  }
}
