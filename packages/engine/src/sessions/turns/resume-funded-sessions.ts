// Sessions that another budget than their own limit stopped go on when all of their budgets have something left again:
// because a limit was raised, or because a day or a month began.
import {
  type ErrorCode,
  isQuarterdeckError,
  QuarterdeckError,
  type SessionId,
  type SessionState,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Clock, EventStore, Ids } from '../../store/ports/event-store.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface ResumeFundedOptions {
  readonly store: Pick<EventStore, 'listByStatus'>
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly money: Pick<SessionSpending, 'limitsChanged' | 'stopOf' | 'followFile'>
  readonly coordinator: {
    open(sessionId: SessionId): Promise<RunningSession>
    kick(running: RunningSession): void
  }
}

/** Its own limit is raised in the session itself; one with nothing left to do waits for its next message. */
const isHeldByOther = ({ status, stoppedBy, wasCutOff, queued }: SessionState): boolean =>
  status === 'stopped_budget' && stoppedBy !== null && (wasCutOff || queued.length > 0)

/** Somebody else has it, or it was deleted, has gone on or was closed meanwhile: nothing is left to be done here. */
const handledCodes: ReadonlySet<ErrorCode> = new Set([
  'session.held-elsewhere',
  'store.conflict',
  'session.not-found',
  'session.busy',
  'session.not-running',
  'session.closed',
])

const isHandled = (error: unknown): boolean => isQuarterdeckError(error) && handledCodes.has(error.code)

/** Only while it rests for another budget's sake: somebody may have paused it meanwhile. */
async function resumeFunded({ writer }: RunningSession, ids: Ids, by: string): Promise<void> {
  const goOnMessageId = ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
  await writer.apply(() => {
    if (isHeldByOther(writer.state())) return { type: 'session.resume', goOnMessageId, by }
    throw new QuarterdeckError('session.busy', `session ${writer.sessionId} is not stopped by a budget any more`)
  })
}

/** For a session whose budget was raised after it was refused and before it came to rest: nobody else has seen it. */
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

/** Rejects with the first failure after all were tried: whoever is told tries again, and the others have gone on. */
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
      // Another one that stops it now is named by the turn that does not start.
      if (stop !== null && stop.budget?.id === running.writer.state().stoppedBudgetId) continue
      await resumeFunded(running, ids, by)
      coordinator.kick(running)
    } catch (error) {
      logger.warn({ sessionId, error }, 'a session could not go on although its budget has something left')
      if (!isHandled(error)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** True when one of the agents that rest for money's sake has a file that says other limits by now. */
async function followFiles({ money }: ResumeFundedOptions, stopped: readonly SessionState[]): Promise<boolean> {
  let hasChanged = false
  for (const name of new Set(stopped.filter(isHeldByOther).map(({ agentName }) => agentName))) {
    if (await money.followFile(name)) hasChanged = true
  }
  return hasChanged
}

/** Not one timer until midnight: a clock may be set, and a machine may sleep. */
const checkEveryMs = 60_000

/**
 * Looks now, for periods that ended while nobody looked, and whenever a day has begun or a file says another limit. What it returns ends that, and
 * resolves when no look is under way any more.
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
        logger.error({ error }, 'sessions could not go on with a new day: trying again')
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
