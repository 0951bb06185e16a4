import type { QueuedMessage } from '@quarterdeck/protocol'
import type { QueueActions } from '../actions/use-queue-actions.ts'
import { QueuedRow } from './queued-row.tsx'

interface QueuedMessagesProps {
  readonly messages: readonly QueuedMessage[]
  readonly isRunning: boolean
  /** Why the last change failed, as a sentence. */
  readonly problem: string | null
  readonly actions: QueueActions
}

/** The queued messages in order. Each can be edited, cancelled, moved to the front or sent at once. */
export function QueuedMessages({ messages, isRunning, problem, actions }: QueuedMessagesProps) {
  const waiting = messages.filter((message) => message.origin === 'user')
  return (
    <>
      {problem !== null && (
        <div className="status-line minus" role="alert">
          {problem}
        </div>
      )}
      {waiting.length > 0 && (
        <ul className="queue" aria-label="Queued messages">
          {waiting.map((message, index) => (
            <QueuedRow
              key={message.messageId}
              message={message}
              isFirst={index === 0}
              isRunning={isRunning}
              actions={actions}
            />
          ))}
        </ul>
      )}
    </>
  )
}
