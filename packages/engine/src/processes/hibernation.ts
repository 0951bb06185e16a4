// Sessions that rest give their process back: after a while, when memory is short, and when others need the place.
import type { HibernateSession, SessionId } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { HeldSessions } from '../sessions/state/held-sessions.ts'
import type { RunningSession } from '../sessions/state/running-session.ts'
import type { AgentProcesses } from './agent-processes.ts'
import type { ProcessSettings } from './process-settings.ts'

export interface HibernationOptions {
  readonly settings: ProcessSettings
  readonly held: Pick<HeldSessions, 'retained' | 'release'>
  readonly processes: Pick<AgentProcesses, 'close'>
  readonly isQueued: (sessionId: SessionId) => boolean
  /** A place that was taken for a process that did not come after all. */
  readonly giveBack: (sessionId: SessionId) => void
  readonly logger: Logger
}

export function createHibernation(options: HibernationOptions) {
  const { settings, held, processes, isQueued, logger } = options

  /** Nothing runs in it and nobody uses it, though work may wait for it. */
  const isResting = (running: RunningSession): boolean =>
    running.backend !== null && running.turnSlot === null && running.opening === null && running.users === 0

  async function hibernate(running: RunningSession, reason: HibernateSession['reason']): Promise<void> {
    await processes.close(running)
    try {
      await running.writer.apply({ type: 'session.hibernate', reason })
    } catch (error) {
      logger.warn({ sessionId: running.writer.sessionId, error }, 'the log cannot say that a session hibernates')
    }
    letRest(running)
  }

  /** Without a process and without work its state is in the store, and there it stays. */
  function letRest(running: RunningSession): void {
    if (running.working !== null || running.users > 0) return
    // One on its way out is kept too: a house that closes waits for it.
    if (running.backend !== null || running.opening !== null || running.leaving !== null) return
    held.release(running)
    options.giveBack(running.writer.sessionId)
  }

  /** Its turn waits for somebody and does nothing else: it ends here, and goes on when it has its answer. */
  async function detach(running: RunningSession): Promise<void> {
    running.isDetaching = true
    running.abort?.abort()
    await running.working
    running.isDetaching = false
    if (isResting(running) && running.working === null) await hibernate(running, 'waiting')
  }

  const inBackground = (running: RunningSession, work: Promise<void>): void => {
    work.catch((error: unknown) => logger.error({ sessionId: running.writer.sessionId, error }, 'hibernation failed'))
  }

  /** Begins to end the one that rested longest, those that are wanted again soon last. */
  function evict(mayGo: (sessionId: SessionId) => boolean): SessionId | null {
    const candidates = held.retained().filter((running) => isResting(running) && mayGo(running.writer.sessionId))
    const order = (running: RunningSession) =>
      isQueued(running.writer.sessionId) ? Number.MAX_VALUE : running.restingSince
    const [first] = candidates.sort((one, other) => order(one) - order(other))
    if (first === undefined) return null
    inBackground(first, hibernate(first, 'memory'))
    return first.writer.sessionId
  }

  function sweep(): void {
    const now = performance.now()
    for (const running of held.retained()) {
      const isIdle =
        isResting(running) && running.working === null && now - running.restingSince >= settings.hibernateAfterMs
      if (isIdle) inBackground(running, hibernate(running, 'idle'))
      const isParked =
        running.waitedMs >= settings.hibernateWaitingAfterMs && running.abort !== null && !running.isDetaching
      if (isParked) inBackground(running, detach(running))
      // Not every process goes by hibernation: those whose process was ended or never came are found here.
      letRest(running)
    }
  }

  return { hibernate, letRest, evict, sweep }
}
