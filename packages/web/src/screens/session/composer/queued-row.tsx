import type { QueuedMessage } from '@quarterdeck/protocol'
import { ArrowUp, CornerDownRight, type LucideIcon, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import type { QueueActions } from '../actions/use-queue-actions.ts'
import { QueuedEdit } from './queued-edit.tsx'

interface QueuedRowProps {
  readonly message: QueuedMessage
  readonly isFirst: boolean
  readonly isRunning: boolean
  readonly actions: QueueActions
}

export function QueuedRow({ message, isFirst, isRunning, actions }: QueuedRowProps) {
  const [isEditing, setEditing] = useState(false)
  const summary = message.content.slice(0, 60)
  const isQueued = message.delivery === 'queued'
  if (isEditing) {
    return (
      <QueuedEdit
        content={message.content}
        onSave={(content) => actions.onEdit(message, content)}
        onBack={() => setEditing(false)}
      />
    )
  }
  return (
    <li className="queued">
      <CornerDownRight className="icon s" aria-hidden="true" />
      <span className="cut grow">
        <span className="muted">{isQueued ? 'Queued for the next turn:' : 'Sending:'}</span> {message.content}
        {message.images !== undefined && <span className="muted"> ({pictures(message.images.count)})</span>}
      </span>
      {isRunning && isQueued && message.images === undefined && (
        <Button variant={['s', 'quiet']} onClick={() => actions.onSteer(message)}>
          Send now
        </Button>
      )}
      {!isFirst && (
        <QueuedAction icon={ArrowUp} name={`Send first: ${summary}`} onClick={() => actions.onSendFirst(message)} />
      )}
      <QueuedAction icon={Pencil} name={`Edit the queued message: ${summary}`} onClick={() => setEditing(true)} />
      <QueuedAction icon={X} name={`Cancel the queued message: ${summary}`} onClick={() => actions.onCancel(message)} />
    </li>
  )
}

const pictures = (count: number): string => (count === 1 ? 'with a picture' : `with ${count} pictures`)

interface QueuedActionProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly onClick: () => void
}

function QueuedAction({ icon: Icon, name, onClick }: QueuedActionProps) {
  return (
    <Button variant={['s', 'quiet', 'square']} aria-label={name} title={name} onClick={onClick}>
      <Icon className="icon s" aria-hidden="true" />
    </Button>
  )
}
