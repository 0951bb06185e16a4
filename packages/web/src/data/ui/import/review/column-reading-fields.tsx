import { Select } from '../../../../components/controls/select.tsx'
import type { ColumnCheck, ColumnReading, PlannedColumn } from '../../../domain/import-plan.ts'
import { Checkbox } from '../../controls/checkbox.tsx'
import { withoutMisfits } from '../state/plan-edits.ts'
import { misfitsLabel } from './review-labels.ts'

interface ColumnReadingFieldsProps {
  readonly column: PlannedColumn
  /** The header in the file. */
  readonly source: string
  /** `null` while the values are being checked. */
  readonly check: ColumnCheck | null
  readonly onChange: (change: Partial<PlannedColumn>) => void
}

/** The date order or decimal mark of a column, its values that do not fit, and its lock. */
export function ColumnReadingFields({ column, source, check, onChange }: ColumnReadingFieldsProps) {
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
          <span className={reading.misfits === 'empty' ? 'text-2' : 'failure'}>{misfitsLabel(check, type)}</span>
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
