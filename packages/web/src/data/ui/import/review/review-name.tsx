import { useId } from 'react'
import { nameClash } from '../../../import/plan/table-name.ts'

interface ReviewNameProps {
  readonly name: string
  /** The detected name without clashes. */
  readonly found: string
  readonly names: readonly string[]
  readonly replaces: readonly string[]
  readonly onChange: (name: string) => void
}

/** A taken name is not an error: the user chooses to keep both tables or to replace one. */
export function ReviewName({ name, found, names, replaces, onChange }: ReviewNameProps) {
  const id = useId()
  const isAgain = replaces.some((one) => one.toLowerCase() === name.toLowerCase())
  const clash = isAgain ? null : nameClash(name, found, names)
  return (
    <div className="review-name">
      <label className="stack">
        <span className="label">Table name</span>
        <input
          className="field"
          value={name}
          spellCheck={false}
          maxLength={200}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      {isAgain && <p className="muted">Replaces the table {name} when it is added.</p>}
      {clash !== null && (
        <fieldset className="options">
          <legend className="label">A table named {clash.taken} already exists</legend>
          <label>
            <input type="radio" name={id} checked={!clash.replaces} onChange={() => onChange(clash.free)} />
            Keep both, this one as {clash.free}
          </label>
          <label>
            <input type="radio" name={id} checked={clash.replaces} onChange={() => onChange(clash.taken)} />
            Replace {clash.taken}
          </label>
        </fieldset>
      )}
    </div>
  )
}
