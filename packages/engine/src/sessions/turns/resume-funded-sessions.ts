// Resumes sessions that a shared budget stopped, when all of their budgets have money again: because a limit was
// raised, or because a day or a month began.
import {
  type ErrorCode,
  isQuarterdeckError,
  QuarterdeckError,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface ResumeFundedOptions {
  readonly store: Pick<EventStore, 'listByStatus'>
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly money: Pick<SessionSpending, 'limitsChanged' | 'stopOf' | 'followFile'>
  readonly coordinator: { open(sessionId: SessionId): Promise<RunningSession>; kick(running: RunningSession): void }
}

/** A session's own limit is raised in the session itself. A session without work waits for its next message. */
const isHeldByOther = ({ status, stoppedBy, wasCutOff, queued }: SessionState): boolean =>
  status === 'stopped_budget' && stoppedBy !== null && (wasCutOff || queued.length > 0)

/** Another process holds the session, or it was deleted, resumed or closed meanwhile. */
const handledCodes: ReadonlySet<ErrorCode> = new Set([
  'session.held-elsewhere',
  'store.conflict',
  'session.not-found',
  'session.busy',
  'session.not-running',
  'session.closed',
])

const isHandled = (error: unknown): boolean => isQuarterdeckError(error) && handledCodes.has(error.code)

/** Only while a shared budget stops it: it may have been paused meanwhile. */
async function resumeFunded({ writer }: RunningSession, ids: Ids, by: string): Promise<void> {
  const continueMessageId = ids.next('umsg')
  await writer.apply(() => {
    if (isHeldByOther(writer.state())) return { type: 'session.resume', continueMessageId, by }
    throw new QuarterdeckError('session.busy', `session ${writer.sessionId} is no longer stopped by a budget`)
  })
}

/** For a session whose budget was raised between the refusal and its rest, which no other check has seen. */
export async function resumeIfLifted(
  { money, ids }: { readonly money: Pick<SessionSpending, 'isLifted'>; readonly ids: Ids },
  running: RunningSession,
): Promise<void> {
  try {
    if (await money.isLifted(running.writer)) await resumeFunded(running, ids, 'quarterdeck')
  } catch (error) {
    if (!isHandled(error)) throw error
  }
}

/** Tries all sessions, then rejects with the first failure, so that the caller can retry. */
export async function resumeFundedSessions(options: ResumeFundedOptions, by: string): Promise<void> {
  const { store, ids, logger, money, coordinator } = options
  money.limitsChanged()
  const failures: unknown[] = []
  const stopped = await store.listByStatus(['stopped_budget'])
  await followFiles(options, stopped)
  for (const { sessionId } of stopped.filter(isHeldByOther)) {
    try {
      const running = await coordinator.open(sessionId)
      const stop = await money.stopOf(running.writer)
      // If another budget stops it now, the turn that does not start names it.
      if (stop !== null && stop.budget?.id === running.writer.state().stoppedBudgetId) continue
      await resumeFunded(running, ids, by)
      coordinator.kick(running)
    } catch (error) {
      logger.warn({ sessionId, error }, 'a session could not be resumed although its budget has money left')
      if (!isHandled(error)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** True if the agent file of a session that was stopped by a budget has other limits now. */
async function followFiles({ money }: ResumeFundedOptions, stopped: readonly SessionState[]): Promise<boolean> {
  let hasChanged = false
  for (const name of new Set(stopped.filter(isHeldByOther).map(({ agentName }) => agentName))) {
    if (await money.followFile(name)) hasChanged = true
  }
  return hasChanged
}

/** Not one timer until midnight: the clock may be set, and a machine may sleep. */
const checkEveryMs = 60_000

/**
 * Checks now, for periods that ended meanwhile, and whenever a day has begun or a file has another limit. The returned
 * function stops that, and resolves when no check is running.
 */
export function startRollover(options: ResumeFundedOptions): () => Promise<void> {
  const { clock, logger } = options
  let checkedOn = ''
  let checking = Promise.resolve()

  function check(): void {
    // Periods are days and months in UTC: all of them end with a day.
    const day = clock.now().toISOString().slice(0, 10)
    const isNewDay = day !== checkedOn
    checkedOn = day
    checking = checking
      .then(() => (isNewDay ? resumeFundedSessions(options, 'clock') : checkFiles(options)))
      .catch((error: unknown) => {
        checkedOn = ''
        logger.error({ error }, 'sessions could not be resumed in the new budget period: trying again')
      })
  }

  check()
  const timer = setInterval(check, checkEveryMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return checking
  }
}

async function checkFiles(options: ResumeFundedOptions): Promise<void> {
  if (await followFiles(options, await options.store.listByStatus(['stopped_budget']))) {
    await resumeFundedSessions(options, 'agent file')
  }
}
