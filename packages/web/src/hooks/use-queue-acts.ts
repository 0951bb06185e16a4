import type { QuarterdeckError, QueuedMessage, SessionId } from '@quarterdeck/protocol'
import { useAction } from './use-action.ts'
import { useWorkbench } from './use-workbench.ts'

export interface QueueActs {
  readonly onEdit: (message: QueuedMessage, content: string) => Promise<boolean>
  readonly onCancel: (message: QueuedMessage) => void
  readonly onSendFirst: (message: QueuedMessage) => void
  /** Into the turn that runs. */
  readonly onSteer: (message: QueuedMessage) => void
}

/** What can be done with a message that waits. */
export function useQueueActs(sessionId: SessionId): { readonly acts: QueueActs; readonly problem: string | null } {
  const { client } = useWorkbench()
  const { run, failure } = useAction()
  return {
    problem: failure === null ? null : problemOf(failure),
    acts: {
      onEdit: ({ messageId }, content) => run(() => client.editMessage({ sessionId, messageId }, content)),
      onCancel: ({ messageId }) => void run(() => client.cancelMessage(sessionId, messageId)),
      onSendFirst: ({ messageId }) => void run(() => client.promoteMessage({ sessionId, messageId })),
      onSteer: ({ messageId }) =>
        void run(() => client.promoteMessage({ sessionId, messageId }, { delivery: 'immediate' })),
    },
  }
}

const problemOf = ({ code, message }: QuarterdeckError): string =>
  code === 'message.delivered' || code === 'message.not-found'
    ? 'The agent has this message already.'
    : `Not changed: ${message}`
