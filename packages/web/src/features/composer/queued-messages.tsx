import type { QueuedMessage } from '@quarterdeck/protocol'
import { CornerDownRight } from 'lucide-react'

export function QueuedMessages({ messages }: { readonly messages: readonly QueuedMessage[] }) {
  return messages
    .filter((message) => message.origin === 'user')
    .map((message) => (
      <div className="queued" key={message.messageId}>
        <CornerDownRight className="icon s" aria-hidden="true" />
        <span className="cut grow">
          <span className="muted">Queued for the next turn:</span> {message.content}
        </span>
      </div>
    ))
}
