import { type FormEvent, type KeyboardEvent, useState } from 'react'

interface RenameFormProps {
  readonly title: string
  /** Resolves to false when the title was rejected. The form then stays open. */
  readonly onRename: (title: string) => Promise<boolean>
  readonly onBack: () => void
}

/** Edits a title in place: Enter saves, Escape cancels. */
export function RenameForm({ title, onRename, onBack }: RenameFormProps) {
  const [draft, setDraft] = useState(title)
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const next = draft.trim()
    if (next === '' || next === title || (await onRename(next))) onBack()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <form className="row grow" onSubmit={(event) => void save(event)}>
      <input
        className="field"
        aria-label="Title"
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="btn s">
        Save
      </button>
    </form>
  )
}
