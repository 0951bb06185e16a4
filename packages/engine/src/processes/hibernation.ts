// Resting sessions give up their process: after a while, when memory is short, and when queued sessions need the slot.
import type { HibernateSession, SessionId } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { ProcessSettings } from './process-settings.ts'
import type { RetainedSessions, SessionWithProcess } from './session-with-process.ts'

export interface HibernationOptions<Session extends SessionWithProcess> {
  readonly settings: ProcessSettings
  readonly held: Pick<RetainedSessions<Session>, 'retained' | 'release'>
  /** Ends the process of a session and frees its slot. */
  readonly closeProcess: (running: Session) => Promise<void>
  readonly isQueued: (sessionId: SessionId) => boolean
  /** Frees a slot whose process was never opened. */
  readonly freeUnusedSlot: (sessionId: SessionId) => void
  readonly logger: Logger
}

export function createHibernation<Session extends SessionWithProcess>(options: HibernationOptions<Session>) {
  const { settings, held, closeProcess, isQueued, logger } = options

  /** No turn runs in it and no caller uses it, although work may be queued for it. */
  const isIdle = ({ process, phase }: Session): boolean =>
    process.backend() !== null && !phase.hasTurn() && process.isUnused()

  async function hibernate(running: Session, reason: HibernateSession['reason']): Promise<void> {
    await closeProcess(running)
    try {
      await running.writer.apply({ type: 'session.hibernate', reason })
    } catch (error) {
      logger.warn({ sessionId: running.writer.sessionId, error }, 'the hibernation of a session could not be logged')
    }
    releaseIfResting(running)
  }

  /** Without a process and without work, its state is only in the store. */
  function releaseIfResting(running: Session): void {
    const { process, phase } = running
    // A session whose process is ending is retained: a closing server waits for it.
    if (!phase.isResting() || !process.isUnused() || process.phase().type !== 'none') return
    held.release(running)
    options.freeUnusedSlot(running.writer.sessionId)
  }

  /** Ends a turn that only waits for an answer. The session continues when it has the answer. */
  async function detach(running: Session): Promise<void> {
    const { phase } = running
    phase.detach()
    await phase.untilRest()
    phase.reattach()
    if (isIdle(running) && phase.isResting()) await hibernate(running, 'waiting')
  }

  const inBackground = (running: Session, work: Promise<void>): void => {
    work.catch((error: unknown) => logger.error({ sessionId: running.writer.sessionId, error }, 'hibernation failed'))
  }

  /** Starts to end the process that rested longest. Sessions with queued work come last. */
  function evict(mayGo: (sessionId: SessionId) => boolean): SessionId | null {
    const candidates = held.retained().filter((running) => isIdle(running) && mayGo(running.writer.sessionId))
    const order = ({ writer, process }: Session) =>
      isQueued(writer.sessionId) ? Number.MAX_VALUE : process.restingSince()
    const [first] = candidates.sort((one, other) => order(one) - order(other))
    if (first === undefined) return null
    inBackground(first, hibernate(first, 'memory'))
    return first.writer.sessionId
  }

  function sweep(): void {
    const now = performance.now()
    for (const running of held.retained()) {
      const { process, phase } = running
      const isLongIdle =
        isIdle(running) && phase.isResting() && now - process.restingSince() >= settings.hibernateAfterMs
      if (isLongIdle) inBackground(running, hibernate(running, 'idle'))
      const turn = phase.watchedTurn()
      const isParked = turn !== null && turn.waitedMs >= settings.hibernateWaitingAfterMs && !phase.isDetaching()
      if (isParked) inBackground(running, detach(running))
      // Also finds sessions whose process ended without hibernation, or never opened.
      releaseIfResting(running)
    }
  }

  return { hibernate, releaseIfResting, evict, sweep }
}
