import type { SessionService } from '@quarterdeck/engine'
import { type ErrorCode, isQuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { readAnalysis } from './analysis-session.ts'

/** Stops the running turn and cancels queued messages. Does nothing if it is idle or already stopping. */
export async function stopAnalysis(sessions: SessionService, sessionId: SessionId, by: string): Promise<void> {
  const { queued } = await readAnalysis(sessions, sessionId)
  for (const { messageId, origin } of queued) {
    if (origin === 'user') await unlessLate(() => sessions.cancelMessage(sessionId, messageId, by))
  }
  await unlessLate(() => sessions.interrupt(sessionId, by))
}

async function unlessLate(stop: () => Promise<unknown>): Promise<void> {
  try {
    await stop()
  } catch (error) {
    if (!isQuarterdeckError(error) || !lateCodes.has(error.code)) throw error
  }
}

/** Nothing is left to stop: it ended, is stopping, or was delivered. */
const lateCodes: ReadonlySet<ErrorCode> = new Set([
  'session.not-running',
  'session.busy',
  'session.closed',
  'message.delivered',
  'message.not-found',
])
