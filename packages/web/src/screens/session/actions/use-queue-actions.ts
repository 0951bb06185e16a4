import { createSerialQueue, type QuarterdeckError, type QueuedMessage, type SessionId } from '@quarterdeck/protocol'
import { useState } from 'react'
import { useAction } from '../../../hooks/use-action.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'

export type QueueActions = ReturnType<typeof useQueueActions>['actions']

/**
 * Actions on a queued message. The page may show a change before the server has answered, so further actions wait for
 * the answer.
 */
export function useQueueActions(sessionId: SessionId) {
  const { client } = useWorkbench()
  const { run, failure } = useAction()
  const [enqueue] = useState(createSerialQueue)
  const enqueueAction = (task: () => Promise<unknown>) => enqueue(() => run(task))
  return {
    problem: failure === null ? null : problemOf(failure),
    actions: {
      onEdit: ({ messageId }: QueuedMessage, content: string) =>
        enqueueAction(() => client.editMessage(sessionId, messageId, { content })),
      onCancel: ({ messageId }: QueuedMessage) => void enqueueAction(() => client.cancelMessage(sessionId, messageId)),
      onSendFirst: ({ messageId }: QueuedMessage) =>
        void enqueueAction(() => client.promoteMessage(sessionId, messageId)),
      /** Delivers the message to the running turn. */
      onSteer: ({ messageId }: QueuedMessage) =>
        void enqueueAction(() => client.promoteMessage(sessionId, messageId, { delivery: 'immediate' })),
    },
  }
}

const problemOf = ({ code, message }: QuarterdeckError): string =>
  code === 'message.delivered' || code === 'message.not-found'
    ? 'The agent has already received this message.'
    : `Not changed: ${message}`
