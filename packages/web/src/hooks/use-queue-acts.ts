import type { QuarterdeckError, QueuedMessage, SessionId } from '@quarterdeck/protocol'
import { useState } from 'react'
import { createTaskLine } from '../state/task-line.ts'
import { useAction } from './use-action.ts'
import { useWorkbench } from './use-workbench.ts'

export interface QueueActs {
  readonly onEdit: (message: QueuedMessage, content: string) => Promise<boolean>
  readonly onCancel: (message: QueuedMessage) => void
  readonly onSendFirst: (message: QueuedMessage) => void
  /** Into the turn that runs. */
  readonly onSteer: (message: QueuedMessage) => void
}

/**
 * What can be done with a message that waits. The page may show a change before the server has answered it: the next
 * press is then kept until it has.
 */
export function useQueueActs(sessionId: SessionId): { readonly acts: QueueActs; readonly problem: string | null } {
  const { client } = useWorkbench()
  const { run, failure } = useAction()
  const [inLine] = useState(createTaskLine)
  const act = (task: () => Promise<unknown>) => inLine(() => run(task))
  return {
    problem: failure === null ? null : problemOf(failure),
    acts: {
      onEdit: ({ messageId }, content) => act(() => client.editMessage({ sessionId, messageId }, content)),
      onCancel: ({ messageId }) => void act(() => client.cancelMessage(sessionId, messageId)),
      onSendFirst: ({ messageId }) => void act(() => client.promoteMessage({ sessionId, messageId })),
      onSteer: ({ messageId }) =>
        void act(() => client.promoteMessage({ sessionId, messageId }, { delivery: 'immediate' })),
    },
  }
}

const problemOf = ({ code, message }: QuarterdeckError): string =>
  code === 'message.delivered' || code === 'message.not-found'
    ? 'The agent has this message already.'
    : `Not changed: ${message}`
