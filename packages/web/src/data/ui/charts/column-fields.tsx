import { visibleText } from '@quarterdeck/protocol'
import { kindOf, type Rows } from '../../domain/cells.ts'

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

interface ColumnsFieldProps {
  readonly columns: Rows['columns']
  readonly chosen: readonly string[]
  readonly onChoose: (names: readonly string[]) => void
}

/** Numeric columns first; others can be counted. */
export function ColumnsField({ columns, chosen, onChoose }: ColumnsFieldProps) {
  const isNumber = (column: Rows['columns'][number]): boolean => kindOf(column) === 'number'
  const missing = chosen.filter((name) => columns.every((column) => column.name !== name))
  const offered = [...columns.filter(isNumber), ...columns.filter((column) => !isNumber(column))].map(
    ({ name }) => name,
  )
  return (
    <fieldset className="wide">
      <legend>y axis</legend>
      {[...missing, ...offered].map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
        <label key={at}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChoose(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          {visibleText(name)}
          {missing.includes(name) && ' (missing)'}
        </label>
      ))}
    </fieldset>
  )
}
