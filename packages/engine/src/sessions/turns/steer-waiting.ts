// Hands messages for the running turn into it. A message that the turn does not take stays queued.
import type { Logger } from '../../ports/logger.ts'
import { isWaitingStatus } from '../rules/status-drafts.ts'
import { retryUntilStored } from '../state/retry-until-stored.ts'
import type { RunningSession } from '../state/running-session.ts'

/**
 * Resolves when every message for the running turn was offered to it. Offers run one at a time, and the next turn waits
 * until they are logged, so that no message is taken twice.
 */
export function steerWaiting(running: RunningSession, logger: Logger): Promise<void> {
  return running.steerInOrder(() =>
    offerAll(running, logger).catch((error: unknown) => {
      logger.error(
        { sessionId: running.writer.sessionId, error },
        'a message could not be handed into the turn: it stays queued',
      )
    }),
  )
}

async function offerAll(running: RunningSession, logger: Logger): Promise<void> {
  const { sessionId } = running.writer
  for (;;) {
    const { turn, status, queued } = running.writer.state()
    const isTaking = turn !== null && (status === 'running' || isWaitingStatus(status))
    // A running turn takes only text: a message with images waits for a turn of its own.
    const message = queued.find(
      ({ delivery, origin, images }) => delivery === 'immediate' && origin === 'user' && images === undefined,
    )
    if (!isTaking || message === undefined) return
    const { content, messageId } = message
    if (!(await running.process.backend()?.session.steer(content, messageId))) return
    // The agent has it already: left in the queue, it would be delivered again.
    await retryUntilStored(() => running.writer.apply({ type: 'turn.steer', messageId }), {
      signal: running.phase.detachSignal(),
      onFailure: (error) =>
        logger.error({ sessionId, error }, 'the delivery of a message into the turn could not be logged: trying again'),
    })
  }
}
