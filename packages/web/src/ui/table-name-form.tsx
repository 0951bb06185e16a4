import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from './button.tsx'

interface TableNameFormProps {
  readonly suggestion: string
  readonly disabled: boolean
  readonly onName: (name: string) => void
  readonly onBack: () => void
}

/** Rows become a table: under which name? */
export function TableNameForm({ suggestion, disabled, onName, onBack }: TableNameFormProps) {
  const [name, setName] = useState(suggestion)
  function save(event: FormEvent): void {
    event.preventDefault()
    if (name.trim() !== '') onName(name.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <form className="row" onSubmit={save}>
      <input
        className="field"
        aria-label="Name of the table"
        maxLength={60}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="btn s" disabled={disabled || name.trim() === ''}>
        Add table
      </button>
      <Button look={['s', 'quiet']} onClick={onBack}>
        Back
      </Button>
    </form>
  )
}
