import type { QueuedMessage } from '@quarterdeck/protocol'
import { ArrowUp, CornerDownRight, type LucideIcon, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import type { QueueActs } from '../../hooks/use-queue-acts.ts'
import { Button } from '../../ui/button.tsx'
import { QueuedEdit } from './queued-edit.tsx'

interface QueuedRowProps {
  readonly message: QueuedMessage
  readonly isFirst: boolean
  readonly isRunning: boolean
  readonly acts: QueueActs
}

export function QueuedRow({ message, isFirst, isRunning, acts }: QueuedRowProps) {
  const [isEditing, setEditing] = useState(false)
  const words = message.content.slice(0, 60)
  const isQueued = message.delivery === 'queued'
  if (isEditing) {
    return (
      <QueuedEdit
        content={message.content}
        onSave={(content) => acts.onEdit(message, content)}
        onBack={() => setEditing(false)}
      />
    )
  }
  return (
    <li className="queued">
      <CornerDownRight className="icon s" aria-hidden="true" />
      <span className="cut grow">
        <span className="muted">{isQueued ? 'Queued for the next turn:' : 'On its way:'}</span> {message.content}
        {message.images !== undefined && <span className="muted"> ({pictures(message.images.count)})</span>}
      </span>
      {isRunning && isQueued && message.images === undefined && (
        <Button look={['s', 'quiet']} onClick={() => acts.onSteer(message)}>
          Send now
        </Button>
      )}
      {!isFirst && <Act icon={ArrowUp} name={`Put first: ${words}`} onClick={() => acts.onSendFirst(message)} />}
      <Act icon={Pencil} name={`Edit the queued message: ${words}`} onClick={() => setEditing(true)} />
      <Act icon={X} name={`Take back the queued message: ${words}`} onClick={() => acts.onCancel(message)} />
    </li>
  )
}

const pictures = (count: number): string => (count === 1 ? 'with a picture' : `with ${count} pictures`)

interface ActProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly onClick: () => void
}

function Act({ icon: Icon, name, onClick }: ActProps) {
  return (
    <Button look={['s', 'quiet', 'square']} aria-label={name} title={name} onClick={onClick}>
      <Icon className="icon s" aria-hidden="true" />
    </Button>
  )
}
