import { visibleText } from '@quarterdeck/protocol'
import { useId, useState } from 'react'
import { Select } from '../../../../components/controls/select.tsx'
import { kindOf } from '../../../domain/cells.ts'
import { countLabel } from '../../../domain/count-label.ts'
import { columnTypes, type PlannedTable, type TableCheck } from '../../../domain/import-plan.ts'
import { KindIcon } from '../../controls/kind-icon.tsx'
import { ShowAll, useFirstOnes } from '../../controls/show-all.tsx'
import { withColumn, withoutMisfits } from '../state/plan-edits.ts'
import { ColumnReadingFields } from './column-reading-fields.tsx'
import { typeLabel } from './review-labels.ts'

interface ReviewColumnsProps {
  readonly table: PlannedTable
  /** `null` while the values are being checked. */
  readonly check: TableCheck | null
  readonly onChange: (table: PlannedTable) => void
}

/** All columns with name and type. Columns can be left out. */
export function ReviewColumns({ table, check, onChange }: ReviewColumnsProps) {
  const id = useId()
  // A column that is included again gets its detected type.
  const [found] = useState(table.columns)
  const { shown, onAll } = useFirstOnes(table.columns)
  const taken = table.columns.filter(({ type }) => type !== null).length
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        Columns{' '}
        <span className="muted num">
          {taken === table.columns.length ? taken : `${taken} of ${table.columns.length}`}
        </span>
      </h3>
      <ul className="review-columns scroll">
        {shown.map((column, index) => {
          const source = visibleText(column.sourceName) || `column ${index + 1}`
          const isIn = column.type !== null
          const change = (next: Partial<typeof column>) => onChange(withColumn(table, index, next))
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns of a file may share a name, but not an index
            <li key={index} data-out={!isIn}>
              <input
                type="checkbox"
                checked={isIn}
                aria-label={`Include ${source}`}
                onChange={({ target }) => change({ type: target.checked ? (found[index]?.type ?? 'VARCHAR') : null })}
              />
              <KindIcon kind={kindOf({ name: column.name, type: column.type ?? 'VARCHAR' })} />
              <input
                className="field"
                value={column.name}
                disabled={!isIn}
                spellCheck={false}
                maxLength={300}
                title={source}
                aria-label={`Name of ${source}`}
                onChange={({ target }) => change({ name: target.value })}
              />
              <TypeField
                type={column.type}
                label={`Type of ${source}`}
                found={found[index]?.type ?? null}
                onChange={(type) => change({ type, ...withoutMisfits(column) })}
              />
              <ColumnReadingFields
                column={column}
                source={source}
                check={check?.columns[index] ?? null}
                onChange={change}
              />
            </li>
          )
        })}
      </ul>
      <ShowAll onAll={onAll} label={countLabel(table.columns.length, 'column')} />
    </section>
  )
}

interface TypeFieldProps {
  readonly type: string | null
  readonly label: string
  readonly found: string | null
  readonly onChange: (type: string) => void
}

function TypeField({ type, label, found, onChange }: TypeFieldProps) {
  if (type === null) return <span className="muted">left out</span>
  const offered = [...new Set([...columnTypes, ...(found === null ? [] : [found]), type])]
  const options = Object.fromEntries(offered.map((one) => [one, typeLabel(one)]))
  return <Select value={type} aria-label={label} options={options} onChange={onChange} />
}
