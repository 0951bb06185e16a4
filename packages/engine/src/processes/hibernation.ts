// Sessions that rest give their process back: after a while, when memory is short, and when others need the place.
import type { HibernateSession, SessionId } from '@quarterdeck/protocol'
import type { HeldSessions } from '../sessions/held-sessions.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { AgentProcesses } from './agent-processes.ts'
import type { ProcessSettings } from './process-settings.ts'

export interface HibernationOptions {
  readonly settings: ProcessSettings
  readonly held: Pick<HeldSessions, 'kept' | 'release'>
  readonly processes: Pick<AgentProcesses, 'close'>
  readonly isInLine: (sessionId: SessionId) => boolean
  /** A place that was taken for a process that did not come after all. */
  readonly giveBack: (sessionId: SessionId) => void
  readonly logger: Logger
}

export function createHibernation(options: HibernationOptions) {
  const { settings, held, processes, isInLine, logger } = options

  /** Nothing runs in it and nobody uses it, though work may wait for it. */
  const isResting = (live: LiveSession): boolean =>
    live.backend !== null && live.place === null && live.opening === null && live.users === 0

  async function hibernate(live: LiveSession, reason: HibernateSession['reason']): Promise<void> {
    await processes.close(live)
    try {
      await live.writer.apply({ type: 'session.hibernate', reason })
    } catch (error) {
      logger.warn({ sessionId: live.writer.sessionId, error }, 'the log cannot say that a session hibernates')
    }
    letRest(live)
  }

  /** Without a process and without work its state is in the store, and there it stays. */
  function letRest(live: LiveSession): void {
    if (live.working !== null || live.users > 0) return
    // One on its way out is kept too: a house that closes waits for it.
    if (live.backend !== null || live.opening !== null || live.leaving !== null) return
    held.release(live)
    options.giveBack(live.writer.sessionId)
  }

  /** Its turn waits for somebody and does nothing else: it ends here, and goes on when it has its answer. */
  async function detach(live: LiveSession): Promise<void> {
    live.isDetaching = true
    live.abort?.abort()
    await live.working
    live.isDetaching = false
    if (isResting(live) && live.working === null) await hibernate(live, 'waiting')
  }

  const inBackground = (live: LiveSession, work: Promise<void>): void => {
    work.catch((error: unknown) => logger.error({ sessionId: live.writer.sessionId, error }, 'hibernation failed'))
  }

  /** Begins to end the one that rested longest, those that are wanted again soon last. */
  function evict(mayGo: (sessionId: SessionId) => boolean): SessionId | null {
    const candidates = held.kept().filter((live) => isResting(live) && mayGo(live.writer.sessionId))
    const order = (live: LiveSession) => (isInLine(live.writer.sessionId) ? Number.MAX_VALUE : live.restingSince)
    const [first] = candidates.sort((one, other) => order(one) - order(other))
    if (first === undefined) return null
    inBackground(first, hibernate(first, 'memory'))
    return first.writer.sessionId
  }

  function sweep(): void {
    const now = performance.now()
    for (const live of held.kept()) {
      const isIdle = isResting(live) && live.working === null && now - live.restingSince >= settings.hibernateAfterMs
      if (isIdle) inBackground(live, hibernate(live, 'idle'))
      const isParked = live.waitedMs >= settings.hibernateWaitingAfterMs && live.abort !== null && !live.isDetaching
      if (isParked) inBackground(live, detach(live))
      // Not every process goes by hibernation: those whose process was ended or never came are found here.
      letRest(live)
    }
  }

  return { hibernate, letRest, evict, sweep }
}
