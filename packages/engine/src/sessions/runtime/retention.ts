// Deletes finished sessions that are old enough. Disabled by default.
import { isQuarterdeckError, type SessionState } from '@quarterdeck/protocol'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { EventStore, SessionFilter } from '../../store/ports/event-store.ts'
import type { SessionService } from '../session-service.ts'

export interface RetentionOptions {
  readonly store: Pick<EventStore, 'list'>
  readonly sessions: Pick<SessionService, 'deleteSession'>
  readonly clock: Clock
  /** Measured from the last event of a session. */
  readonly deleteAfterMs: number
  readonly logger: Logger
  /** A clock in milliseconds that changes of the system time do not affect. */
  readonly monotonicMs?: () => number
}

const sweepEveryMs = 3_600_000
const pageSize = 200
/** Ordinary corrections of the clock are smaller. */
const jumpMs = 3_600_000
/** Leaves an operator time to correct the clock, because deleted sessions cannot be restored. */
const holdMs = 24 * 3_600_000
/** Closed or archived sessions are not continued. */
const doneWith: readonly SessionFilter[] = [{ status: 'completed' }, { status: 'cancelled' }, { archived: true }]

export function createRetention({ store, sessions, clock, deleteAfterMs, logger, ...options }: RetentionOptions) {
  const { monotonicMs = () => performance.now() } = options
  /** The difference between the two clocks: constant, unless the system time is changed. */
  const offset = () => clock.now().getTime() - monotonicMs()
  let trustedOffset = offset()
  let jumpedAt: number | null = null
  let isStopped = false

  function trustNow(): true {
    trustedOffset = offset()
    jumpedAt = null
    return true
  }

  /** After a jump forwards every session looks old. A jump backwards deletes nothing, so it is accepted at once. */
  function mayDelete(): boolean {
    const jumped = offset() - trustedOffset
    if (jumped <= jumpMs) return trustNow()
    if (jumpedAt === null) {
      jumpedAt = monotonicMs()
      const hours = Math.round(jumped / 3_600_000)
      logger.warn({ hours }, 'the system time jumped forwards: no session is deleted for a day. Check the clock')
    }
    if (monotonicMs() - jumpedAt < holdMs) return false
    return trustNow()
  }

  /** Resolves with the number of deleted sessions. Deletes none for a day after the system time jumped forwards. */
  async function sweep(): Promise<number> {
    if (!mayDelete()) return 0
    const before = new Date(clock.now().getTime() - deleteAfterMs).toISOString()
    let deleted = 0
    for (const filter of doneWith) {
      for (const session of await oldOnes(filter, before)) {
        if (isStopped) return deleted
        if (await remove(session)) deleted += 1
      }
    }
    return deleted
  }

  async function oldOnes(filter: SessionFilter, before: string): Promise<readonly SessionState[]> {
    const old: SessionState[] = []
    let cursor: string | null = null
    do {
      const page = await store.list(filter, cursor === null ? { limit: pageSize } : { limit: pageSize, cursor })
      old.push(...page.sessions.filter(({ updatedAt }) => updatedAt < before))
      cursor = page.nextCursor
    } while (cursor !== null)
    return old
  }

  async function remove({ sessionId, updatedAt }: SessionState): Promise<boolean> {
    try {
      await sessions.deleteSession(sessionId, 'retention')
      logger.info({ sessionId, updatedAt }, 'deleted a session that was older than the retention time')
      return true
    } catch (error) {
      // A session that works again, or that another process holds, is checked again by the next sweep.
      if (!isQuarterdeckError(error)) throw error
      logger.warn({ sessionId, error }, 'a session that is older than the retention time could not be deleted')
      return false
    }
  }

  return {
    sweep,
    /** Sweeps now and every hour. The returned function stops that, and resolves when no sweep is running. */
    start(): () => Promise<void> {
      const swept = () =>
        sweep().then(
          () => undefined,
          (error: unknown) => logger.error({ error }, 'old sessions could not be deleted'),
        )
      let running = swept()
      const timer = setInterval(() => {
        running = running.then(swept)
      }, sweepEveryMs)
      timer.unref()
      return async () => {
        isStopped = true
        clearInterval(timer)
        await running
      }
    },
  }
}
