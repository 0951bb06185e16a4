import { visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import type { PlannedTable, TableCheck } from '../../../domain/import-plan.ts'
import { nameClash } from '../../../import/plan/table-name.ts'
import { RowsGrid } from '../../grid/rows-grid.tsx'
import { hasPreview, previewOf } from '../state/plan-edits.ts'
import { ReviewColumns } from './review-columns.tsx'

interface ReviewTableProps {
  readonly table: PlannedTable
  readonly check: TableCheck | null
  /** The detected name without clashes. */
  readonly found: string
  readonly names: readonly string[]
  readonly replaces: readonly string[]
  /** Read-only while the file is read again, because the result replaces the edits. */
  readonly disabled: boolean
  readonly onChange: (table: PlannedTable) => void
}

export function ReviewTable({ table, check, found, names, replaces, disabled, onChange }: ReviewTableProps) {
  const id = useId()
  return (
    <fieldset className="review-table" disabled={disabled}>
      <ReviewName
        name={table.name}
        found={found}
        names={names}
        replaces={replaces}
        onChange={(name) => onChange({ ...table, name })}
      />
      <div className="review-halves">
        <ReviewColumns table={table} check={check} onChange={onChange} />
        {hasPreview(table) && (
          <section aria-labelledby={id}>
            <h3 id={id}>First rows</h3>
            {table.preview.rows.length === 0 ? (
              <p className="muted">No rows: the table will be empty.</p>
            ) : (
              <RowsGrid
                rows={previewOf(table)}
                total={table.rowCount}
                label={`First rows of ${visibleText(table.name)}`}
              />
            )}
          </section>
        )}
      </div>
    </fieldset>
  )
}

interface ReviewNameProps extends Pick<ReviewTableProps, 'found' | 'names' | 'replaces'> {
  readonly name: string
  readonly onChange: (name: string) => void
}

/** A taken name is not an error: the user chooses to keep both tables or to replace one. */
function ReviewName({ name, found, names, replaces, onChange }: ReviewNameProps) {
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
