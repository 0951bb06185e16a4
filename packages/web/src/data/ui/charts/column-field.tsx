import { visibleText } from '@quarterdeck/protocol'
import type { Rows } from '../../domain/cells.ts'

interface ColumnFieldProps {
  readonly columns: Rows['columns']
  readonly value: string | null
  readonly onChoose: (name: string | null) => void
}

/** One column or none. A missing column stays in the list, so that the user can see and change it. */
export function ColumnField({ columns, value, onChoose }: ColumnFieldProps) {
  const index = columns.findIndex(({ name }) => name === value)
  return (
    <select
      className="field"
      value={value === null ? 'none' : String(index)}
      onChange={({ target }) => onChoose(columns[Number(target.value)]?.name ?? null)}
    >
      <option value="none">None</option>
      {value !== null && index < 0 && <option value="-1">{visibleText(value)} (missing)</option>}
      {columns.map(({ name }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
        <option key={at} value={at}>
          {visibleText(name)}
        </option>
      ))}
    </select>
  )
}
