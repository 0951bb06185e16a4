import { visibleText } from '@quarterdeck/protocol'
import { useId, useState } from 'react'
import { Select } from '../../../../components/controls/select.tsx'
import { kindOf } from '../../../domain/cells.ts'
import { countLabel } from '../../../domain/count-label.ts'
import {
  type ColumnCheck,
  type ColumnReading,
  columnTypes,
  type PlannedColumn,
  type PlannedTable,
  type TableCheck,
} from '../../../domain/import-plan.ts'
import { Checkbox } from '../../controls/checkbox.tsx'
import { KindIcon } from '../../controls/kind-icon.tsx'
import { ShowAll, useFirstOnes } from '../../controls/show-all.tsx'
import { withColumn } from '../state/plan-edits.ts'
import { misfitsLabel, typeLabel } from './review-labels.ts'

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

/** "Treat as empty" applies to one type: another type has other misfits. */
function withoutMisfits({ reading }: Pick<PlannedColumn, 'reading'>): Pick<PlannedColumn, 'reading'> {
  if (reading === undefined) return {}
  const { misfits: _, ...others } = reading
  return { reading: others }
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

interface ColumnReadingFieldsProps {
  readonly column: PlannedColumn
  /** The header in the file. */
  readonly source: string
  /** `null` while the values are being checked. */
  readonly check: ColumnCheck | null
  readonly onChange: (change: Partial<PlannedColumn>) => void
}

/** The date order or decimal mark of a column, its values that do not fit, and its lock. */
function ColumnReadingFields({ column, source, check, onChange }: ColumnReadingFieldsProps) {
  const { type, personal, isLocked = false } = column
  if (type === null) return null
  const reading = check?.reading ?? column.reading ?? {}
  const read = (change: Partial<ColumnReading>) => onChange({ reading: { ...reading, ...change } })
  const isMoment = type === 'DATE' || type === 'TIMESTAMP'
  const isNumber = type === 'BIGINT' || type === 'DOUBLE'
  return (
    <>
      {isMoment && reading.dates !== undefined && (
        <Select
          className="field review-more"
          aria-label={`Date order of ${source}`}
          value={reading.dates}
          options={{ 'day-first': 'Day first: 31/12/2026', 'month-first': 'Month first: 12/31/2026' }}
          onChange={(dates) => read({ dates })}
        />
      )}
      {isNumber && reading.decimals !== undefined && (
        <Select
          className="field review-more"
          aria-label={`Decimal mark of ${source}`}
          value={reading.decimals}
          options={{ point: 'Decimal point: 1,234.5', comma: 'Decimal comma: 1.234,5' }}
          onChange={(decimals) => read({ decimals })}
        />
      )}
      {check !== null && check.misfits > 0 && (
        <div className="review-more">
          <span className={reading.misfits === 'empty' ? 'text-2' : 'minus'}>{misfitsLabel(check, type)}</span>
          <Checkbox
            checked={reading.misfits === 'empty'}
            aria-label={`Treat these values of ${source} as empty`}
            onChange={(isEmpty) => (isEmpty ? read({ misfits: 'empty' }) : onChange(withoutMisfits({ reading })))}
          >
            Treat these values as empty
          </Checkbox>
        </div>
      )}
      {personal !== undefined && (
        <div className="review-more">
          <span className="text-2">This column {personal}.</span>
          <Checkbox
            checked={isLocked}
            aria-label={`Never send ${source}`}
            onChange={(isNowLocked) => onChange({ isLocked: isNowLocked })}
          >
            Never send it to a model
          </Checkbox>
        </div>
      )}
    </>
  )
}
