import type { QueuedMessage } from '@quarterdeck/protocol'
import { ArrowUp, CornerDownRight, Pencil, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { QueueActs } from './queued-messages.tsx'

interface QueuedRowProps {
  readonly message: QueuedMessage
  readonly isFirst: boolean
  readonly isRunning: boolean
  readonly acts: QueueActs
}

export function QueuedRow({ message, isFirst, isRunning, acts }: QueuedRowProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const words = message.content.slice(0, 60)

  async function save(): Promise<void> {
    const content = draft?.trim() ?? ''
    if (content !== '' && (await acts.onEdit(message, content))) setDraft(null)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') setDraft(null)
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void save()
  }

  if (draft !== null) {
    return (
      <li className="queued">
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
        <Button look={['s']} disabled={draft.trim() === ''} onClick={() => void save()}>
          Save
        </Button>
        <Button look={['s', 'quiet']} onClick={() => setDraft(null)}>
          Back
        </Button>
      </li>
    )
  }
  return (
    <li className="queued">
      <CornerDownRight className="icon s" aria-hidden="true" />
      <span className="cut grow">
        <span className="muted">{message.delivery === 'immediate' ? 'On its way:' : 'Queued for the next turn:'}</span>{' '}
        {message.content}
      </span>
      {isRunning && message.delivery === 'queued' && (
        <Button look={['s', 'quiet']} onClick={() => acts.onSteer(message)}>
          Send now
        </Button>
      )}
      {!isFirst && (
        <Button
          look={['s', 'quiet', 'square']}
          aria-label={`Put first: ${words}`}
          title="Put first"
          onClick={() => acts.onSendFirst(message)}
        >
          <ArrowUp className="icon s" aria-hidden="true" />
        </Button>
      )}
      <Button
        look={['s', 'quiet', 'square']}
        aria-label={`Edit the queued message: ${words}`}
        title="Edit"
        onClick={() => setDraft(message.content)}
      >
        <Pencil className="icon s" aria-hidden="true" />
      </Button>
      <Button
        look={['s', 'quiet', 'square']}
        aria-label={`Take back the queued message: ${words}`}
        title="Take back"
        onClick={() => acts.onCancel(message)}
      >
        <X className="icon s" aria-hidden="true" />
      </Button>
    </li>
  )
}
