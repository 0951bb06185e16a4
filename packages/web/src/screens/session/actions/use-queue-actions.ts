import { createRunInOrder, type QuarterdeckError, type QueuedMessage, type SessionId } from '@quarterdeck/protocol'
import { useState } from 'react'
import { useAction } from '../../../hooks/use-action.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'

export interface QueueActions {
  readonly onEdit: (message: QueuedMessage, content: string) => Promise<boolean>
  readonly onCancel: (message: QueuedMessage) => void
  readonly onSendFirst: (message: QueuedMessage) => void
  /** Delivers the message to the running turn. */
  readonly onSteer: (message: QueuedMessage) => void
}

/**
 * Actions on a queued message. The page may show a change before the server has answered, so further actions wait for
 * the answer.
 */
export function useQueueActions(sessionId: SessionId): {
  readonly actions: QueueActions
  readonly problem: string | null
} {
  const { client } = useWorkbench()
  const { run, failure } = useAction()
  const [enqueue] = useState(createRunInOrder)
  const enqueueAction = (task: () => Promise<unknown>) => enqueue(() => run(task))
  return {
    problem: failure === null ? null : problemOf(failure),
    actions: {
      onEdit: ({ messageId }, content) => enqueueAction(() => client.editMessage(sessionId, messageId, { content })),
      onCancel: ({ messageId }) => void enqueueAction(() => client.cancelMessage(sessionId, messageId)),
      onSendFirst: ({ messageId }) => void enqueueAction(() => client.promoteMessage(sessionId, messageId)),
      onSteer: ({ messageId }) =>
        void enqueueAction(() => client.promoteMessage(sessionId, messageId, { delivery: 'immediate' })),
    },
  }
}

const problemOf = ({ code, message }: QuarterdeckError): string =>
  code === 'message.delivered' || code === 'message.not-found'
    ? 'The agent has already received this message.'
    : `Not changed: ${message}`
