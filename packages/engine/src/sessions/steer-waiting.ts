// Hands messages that are meant for the running turn into it. What it does not take stays in the queue.
import type { Logger } from '../telemetry/logger.ts'
import type { LiveSession } from './live-session.ts'
import { isWaitingStatus } from './status-drafts.ts'
import { untilStored } from './until-stored.ts'

/**
 * Resolves when every message that waits for the running turn was offered to it. One offer at a time, and the next turn
 * waits for the offers to be in the log: a message is never taken twice.
 */
export function steerWaiting(live: LiveSession, logger: Logger): Promise<void> {
  live.steering = live.steering
    .then(() => offerAll(live, logger))
    .catch((error: unknown) => {
      logger.error({ sessionId: live.writer.sessionId, error }, 'a message could not be handed into the turn: it waits')
    })
  return live.steering
}

async function offerAll(live: LiveSession, logger: Logger): Promise<void> {
  const { sessionId } = live.writer
  for (;;) {
    const { turn, status, queued } = live.writer.state()
    const isTaking = turn !== null && (status === 'running' || isWaitingStatus(status))
    // A running turn takes words: a message with pictures waits for its own.
    const message = queued.find(
      ({ delivery, origin, images }) => delivery === 'immediate' && origin === 'user' && images === undefined,
    )
    if (!isTaking || message === undefined) return
    const { content, messageId } = message
    if (!(await live.backend?.session.steer(content, messageId))) return
    // It is with the agent already: left in the queue it would be delivered again.
    await untilStored(() => live.writer.apply({ type: 'turn.steer', messageId }), {
      isGivenUp: () => live.isDetaching,
      onFailure: (error) =>
        logger.error({ sessionId, error }, 'a message that the turn has taken cannot be noted: trying again'),
    })
  }
}
