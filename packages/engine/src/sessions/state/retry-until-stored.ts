import { type Command, isQuarterdeckError, type SessionEvent, sleep } from '@quarterdeck/protocol'
import type { Logger } from '../../ports/logger.ts'
import type { RunningSession } from './running-session.ts'

export interface StoreWait {
  /** Ends the retries: the last failure is thrown. */
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

/** The delay between two attempts. */
const retryMs = 1000

/** Retries a write for as long as the store is unavailable, for example while the disk is full. */
export async function retryUntilStored<Answer>(
  ask: () => Promise<Answer>,
  { signal, onFailure }: StoreWait,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted || !isQuarterdeckError(error, 'store.unavailable')) throw error
      onFailure(error)
      await sleep(retryMs, signal)
    }
  }
}

export interface StoreRetries {
  readonly logger: Logger
  readonly draining: AbortSignal
}

/**
 * Without the start and end of a turn in the log a session could never continue: such commands are retried while the
 * disk is full.
 */
export const untilWritten = (
  retries: StoreRetries,
  running: RunningSession,
  command: Command | (() => Command),
): Promise<readonly SessionEvent[]> => untilStoreResponds(retries, running, () => running.writer.apply(command))

export const untilStoreResponds = <Answer>(
  { logger, draining }: StoreRetries,
  running: RunningSession,
  ask: () => Promise<Answer>,
): Promise<Answer> =>
  retryUntilStored(ask, {
    signal: draining,
    onFailure: (error) =>
      logger.error({ sessionId: running.writer.sessionId, error }, 'the store is unavailable: trying again'),
  })
