// Work on a session that no turn may disturb: branching its conversation, bringing back files, deleting it.
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Coordinator } from './coordinator.ts'
import { requireResting } from './invariants.ts'
import type { LiveSession } from './live-session.ts'

/** No turn starts until the work is done; messages that come meanwhile wait. Refused with `session.busy` while one runs. */
export async function whileResting<Result>(
  coordinator: Pick<Coordinator, 'letGoIfClosed' | 'kick'>,
  live: LiveSession,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await occupy(live, work)
  } finally {
    await coordinator.letGoIfClosed(live)
    coordinator.kick(live)
  }
}

/** As `whileResting`, for work that leaves nothing to go on with. */
export async function occupy<Result>(live: LiveSession, work: () => Promise<Result>): Promise<Result> {
  const { sessionId, status } = requireResting(live.writer.state())
  if (live.working !== null) {
    throw new QuarterdeckError('session.busy', `session ${sessionId} is ${status}: try again when it rests`)
  }
  const done = work()
  // The loop that takes messages sees somebody at work.
  live.working = done.then(
    () => undefined,
    () => undefined,
  )
  try {
    return await done
  } finally {
    live.working = null
  }
}
