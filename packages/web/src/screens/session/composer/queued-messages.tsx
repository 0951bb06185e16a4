import type { QueuedMessage } from '@quarterdeck/protocol'
import { ArrowUp, CornerDownRight, type LucideIcon, Pencil, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import type { QueueActions } from '../actions/use-queue-actions.ts'

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
        <div className="status-line failure" role="alert">
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

interface QueuedRowProps {
  readonly message: QueuedMessage
  readonly isFirst: boolean
  readonly isRunning: boolean
  readonly actions: QueueActions
}

function QueuedRow({ message, isFirst, isRunning, actions }: QueuedRowProps) {
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
    <li className="row queued">
      <CornerDownRight className="icon s" aria-hidden="true" />
      <span className="ellipsis grow">
        <span className="muted">{isQueued ? 'Queued for the next turn:' : 'Sending:'}</span> {message.content}
        {message.images !== undefined && <span className="muted"> ({images(message.images.count)})</span>}
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

const images = (count: number): string => (count === 1 ? 'with an image' : `with ${count} images`)

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

interface QueuedEditProps {
  readonly content: string
  /** Resolves to false when the change was rejected. The form then stays open. */
  readonly onSave: (content: string) => Promise<boolean>
  readonly onBack: () => void
}

/** Enter saves, Escape cancels. */
function QueuedEdit({ content, onSave, onBack }: QueuedEditProps) {
  const [draft, setDraft] = useState(content)

  async function save(): Promise<void> {
    const next = draft.trim()
    if (next !== '' && (await onSave(next))) onBack()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') onBack()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void save()
  }

  return (
    <li className="row queued">
      <textarea
        className="field grow"
        rows={2}
        aria-label="Change the queued message"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button variant={['s']} disabled={draft.trim() === ''} onClick={() => void save()}>
        Save
      </Button>
      <Button variant={['s', 'quiet']} onClick={onBack}>
        Back
      </Button>
    </li>
  )
}
