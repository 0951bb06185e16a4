import { useId } from 'react'
import type { PlannedTable, TableCheck } from '../../../domain/import-plan.ts'
import { RowsGrid } from '../../grid/rows-grid.tsx'
import { hasPreview, previewOf } from '../state/plan-edits.ts'
import { ReviewColumns } from './review-columns.tsx'
import { ReviewName } from './review-name.tsx'

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
              <RowsGrid rows={previewOf(table)} total={table.rowCount} label={`First rows of ${table.name}`} />
            )}
          </section>
        )}
      </div>
    </fieldset>
  )
}
