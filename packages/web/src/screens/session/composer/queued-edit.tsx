import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'

interface QueuedEditProps {
  readonly content: string
  /** Resolves to false when the change was rejected. The form then stays open. */
  readonly onSave: (content: string) => Promise<boolean>
  readonly onBack: () => void
}

/** Enter saves, Escape cancels. */
export function QueuedEdit({ content, onSave, onBack }: QueuedEditProps) {
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
      <Button variant={['s']} disabled={draft.trim() === ''} onClick={() => void save()}>
        Save
      </Button>
      <Button variant={['s', 'quiet']} onClick={onBack}>
        Back
      </Button>
    </li>
  )
}
