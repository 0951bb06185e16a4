// Deletes sessions that are done with and old enough. Off unless somebody says how old that is.
import { isQuarterdeckError, type SessionState } from '@quarterdeck/protocol'
import type { Clock, EventStore, SessionFilter } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LifecycleDoors } from './session-service.ts'

export interface RetentionOptions {
  readonly store: Pick<EventStore, 'list'>
  readonly doors: Pick<LifecycleDoors, 'remove'>
  readonly clock: Clock
  /** Since the last thing that happened to it. */
  readonly deleteAfterMs: number
  readonly logger: Logger
}

export interface Retention {
  /** Deletes what is due now; resolves with how many went. */
  sweep(): Promise<number>
  /** Sweeps now and every hour. What it returns stops that, and resolves when no sweep runs any more. */
  start(): () => Promise<void>
}

const sweepEveryMs = 3_600_000
const pageSize = 200
/** Closed or put away: nobody is about to go on with these. */
const doneWith: readonly SessionFilter[] = [{ status: 'completed' }, { status: 'cancelled' }, { archived: true }]

export function createRetention({ store, doors, clock, deleteAfterMs, logger }: RetentionOptions): Retention {
  let isStopped = false

  async function sweep(): Promise<number> {
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
      await doors.remove(sessionId, 'retention')
      logger.info({ sessionId, updatedAt }, 'deleted a session that was kept long enough')
      return true
    } catch (error) {
      // One that works again, or that another process holds, is looked at again with the next sweep.
      if (!isQuarterdeckError(error)) throw error
      logger.warn({ sessionId, error }, 'a session that was kept long enough could not be deleted')
      return false
    }
  }

  return {
    sweep,
    start() {
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
