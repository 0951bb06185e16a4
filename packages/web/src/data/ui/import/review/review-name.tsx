import { useId } from 'react'
import { nameClash } from '../state/name-clash.ts'

interface ReviewNameProps {
  readonly name: string
  /** What it is called where no other is in the way. */
  readonly found: string
  readonly names: readonly string[]
  readonly replaces: readonly string[]
  readonly onChange: (name: string) => void
}

/** A name that is taken is not an error: the person says which of the two tables they want. */
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
          <legend className="label">There is a table {clash.taken}</legend>
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
