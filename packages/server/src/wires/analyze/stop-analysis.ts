import type { SessionService } from '@quarterdeck/engine'
import { isQuarterdeckError, type SessionId } from '@quarterdeck/protocol'
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
    const isLate = ['session.not-running', 'session.busy', 'session.closed', 'message.delivered', 'message.not-found']
    if (!isQuarterdeckError(error) || !isLate.includes(error.code)) throw error
  }
}
