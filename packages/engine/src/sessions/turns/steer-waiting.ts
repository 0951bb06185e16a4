// Hands messages that are meant for the running turn into it. What it does not take stays in the queue.
import type { Logger } from '../../ports/logger.ts'
import { isWaitingStatus } from '../rules/status-drafts.ts'
import { retryUntilStored } from '../state/retry-until-stored.ts'
import type { RunningSession } from '../state/running-session.ts'

/**
 * Resolves when every message that waits for the running turn was offered to it. One offer at a time, and the next turn
 * waits for the offers to be in the log: a message is never taken twice.
 */
export function steerWaiting(running: RunningSession, logger: Logger): Promise<void> {
  running.steering = running.steering
    .then(() => offerAll(running, logger))
    .catch((error: unknown) => {
      logger.error(
        { sessionId: running.writer.sessionId, error },
        'a message could not be handed into the turn: it waits',
      )
    })
  return running.steering
}

async function offerAll(running: RunningSession, logger: Logger): Promise<void> {
  const { sessionId } = running.writer
  for (;;) {
    const { turn, status, queued } = running.writer.state()
    const isTaking = turn !== null && (status === 'running' || isWaitingStatus(status))
    // A running turn takes words: a message with pictures waits for its own.
    const message = queued.find(
      ({ delivery, origin, images }) => delivery === 'immediate' && origin === 'user' && images === undefined,
    )
    if (!isTaking || message === undefined) return
    const { content, messageId } = message
    if (!(await running.backend?.session.steer(content, messageId))) return
    // It is with the agent already: left in the queue it would be delivered again.
    await retryUntilStored(() => running.writer.apply({ type: 'turn.steer', messageId }), {
      isGivenUp: () => running.isDetaching,
      onFailure: (error) =>
        logger.error({ sessionId, error }, 'a message that the turn has taken cannot be noted: trying again'),
    })
  }
}
