import type { QuarterdeckError, QueuedMessage, SessionId } from '@quarterdeck/protocol'
import { steerQueued } from '../state/steer-queued.ts'
import { useAction } from './use-action.ts'
import { useWorkbench } from './use-workbench.ts'

interface QueueActs {
  readonly onEdit: (message: QueuedMessage, content: string) => Promise<boolean>
  readonly onCancel: (message: QueuedMessage) => void
  readonly onSendFirst: (message: QueuedMessage) => void
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
      onSendFirst: ({ messageId }) => void run(() => client.promoteMessage(sessionId, messageId)),
      onSteer: (message) => void run(() => steerQueued(client, sessionId, { message })),
    },
  }
}

const problemOf = ({ code, message }: QuarterdeckError): string =>
  code === 'message.delivered' || code === 'message.not-found'
    ? 'The agent has this message already.'
    : `Not changed: ${message}`
