import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { otherThan } from '../../import/plan/table-name.ts'
import { tableNameProblem } from '../../sql/reserved-names.ts'
import { QuietButton } from './quiet-button.tsx'

interface TableNameFormProps {
  readonly suggestion: string
  /** Names of all tables: rows never replace a table. */
  readonly taken: readonly string[]
  readonly disabled: boolean
  readonly onName: (name: string) => void
  readonly onBack: () => void
}

/** Asks for the name of a new table. */
export function TableNameForm({ suggestion, taken, disabled, onName, onBack }: TableNameFormProps) {
  const [draft, setDraft] = useState(() => otherThan(suggestion, taken))
  const id = useId()
  const name = draft.trim()
  const problem = tableNameProblem(name, taken)
  function save(event: FormEvent): void {
    event.preventDefault()
    if (problem === null) onName(name)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <form className="stack" onSubmit={save}>
      <div className="row">
        <input
          className="field"
          aria-label="Name of the table"
          aria-invalid={problem !== null}
          aria-describedby={id}
          maxLength={60}
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the user has just opened this field
          autoFocus
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" className="btn s" disabled={disabled || problem !== null}>
          Add table
        </button>
        <QuietButton onClick={onBack}>Back</QuietButton>
      </div>
      <p className="caption failure" id={id} role="status">
        {problem}
      </p>
    </form>
  )
}
