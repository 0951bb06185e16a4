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
import type { MoneyDesk } from '../money/money-desk.ts'
import type { Clock, EventStore, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LiveSession } from './live-session.ts'

export interface GoOnOptions {
  readonly store: Pick<EventStore, 'listByStatus'>
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly money: Pick<MoneyDesk, 'limitsChanged' | 'stopOf' | 'followFile'>
  readonly coordinator: {
    open(sessionId: SessionId): Promise<LiveSession>
    kick(live: LiveSession): void
  }
}

/** Its own limit is raised in the session itself; one with nothing left to do waits for its next message. */
const isHeldByOther = ({ status, stoppedBy, wasCutOff, queued }: SessionState): boolean =>
  status === 'stopped_budget' && stoppedBy !== null && (wasCutOff || queued.length > 0)

/** Somebody else has it, or it was deleted, has gone on or was closed meanwhile: nothing is left to be done here. */
const seenTo: ReadonlySet<ErrorCode> = new Set([
  'session.held-elsewhere',
  'store.conflict',
  'session.not-found',
  'session.busy',
  'session.not-running',
  'session.closed',
])

const isSeenTo = (error: unknown): boolean => isQuarterdeckError(error) && seenTo.has(error.code)

/** Only while it rests for another budget's sake: somebody may have paused it meanwhile. */
async function goOnPaid({ writer }: LiveSession, ids: Ids, by: string): Promise<void> {
  const goOnMessageId = ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
  await writer.apply(() => {
    if (isHeldByOther(writer.state())) return { type: 'session.resume', goOnMessageId, by }
    throw new QuarterdeckError('session.busy', `session ${writer.sessionId} is not stopped by a budget any more`)
  })
}

/** For a session whose budget was raised after it was refused and before it came to rest: nobody else has seen it. */
export async function goOnIfLifted(
  { money, ids }: { readonly money: Pick<MoneyDesk, 'isLifted'>; readonly ids: Ids },
  live: LiveSession,
): Promise<void> {
  try {
    if (await money.isLifted(live.writer)) await goOnPaid(live, ids, 'quarterdeck')
  } catch (error) {
    if (!isSeenTo(error)) throw error
  }
}

/** Rejects with the first failure after all were tried: whoever is told tries again, and the others have gone on. */
export async function goOnWithMoney(options: GoOnOptions, by: string): Promise<void> {
  const { store, ids, logger, money, coordinator } = options
  money.limitsChanged()
  const failures: unknown[] = []
  const stopped = await store.listByStatus(['stopped_budget'])
  await followFiles(options, stopped)
  for (const { sessionId } of stopped.filter(isHeldByOther)) {
    try {
      const live = await coordinator.open(sessionId)
      const stop = await money.stopOf(live.writer)
      // Another one that stops it now is named by the turn that does not start.
      if (stop !== null && stop.budget?.id === live.writer.state().stoppedBudgetId) continue
      await goOnPaid(live, ids, by)
      coordinator.kick(live)
    } catch (error) {
      logger.warn({ sessionId, error }, 'a session could not go on although its budget has something left')
      if (!isSeenTo(error)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** True when one of the agents that rest for money's sake has a file that says other limits by now. */
async function followFiles({ money }: GoOnOptions, stopped: readonly SessionState[]): Promise<boolean> {
  let hasChanged = false
  for (const name of new Set(stopped.filter(isHeldByOther).map(({ agentName }) => agentName))) {
    if (await money.followFile(name)) hasChanged = true
  }
  return hasChanged
}

/** Not one timer until midnight: a clock may be set, and a machine may sleep. */
const lookEveryMs = 60_000

/**
 * Looks now, for periods that ended while nobody looked, and whenever a day has begun or a file says another limit. What it returns ends that, and
 * resolves when no look is under way any more.
 */
export function startRollover(options: GoOnOptions): () => Promise<void> {
  const { clock, logger } = options
  let lookedOn = ''
  let looking = Promise.resolve()

  function look(): void {
    // Periods are days and months in UTC: all of them end with a day.
    const day = clock.now().toISOString().slice(0, 10)
    const isNewDay = day !== lookedOn
    lookedOn = day
    looking = looking
      .then(() => (isNewDay ? goOnWithMoney(options, 'clock') : lookAtFiles(options)))
      .catch((error: unknown) => {
        lookedOn = ''
        logger.error({ error }, 'sessions could not go on with a new day: trying again')
      })
  }

  look()
  const timer = setInterval(look, lookEveryMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return looking
  }
}

async function lookAtFiles(options: GoOnOptions): Promise<void> {
  if (await followFiles(options, await options.store.listByStatus(['stopped_budget']))) {
    await goOnWithMoney(options, 'agent file')
  }
}
