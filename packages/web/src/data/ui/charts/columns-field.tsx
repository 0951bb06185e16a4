import { visibleText } from '@quarterdeck/protocol'
import { kindOf, type Rows } from '../../domain/cells.ts'
import { Checkbox } from '../controls/checkbox.tsx'

interface ColumnsFieldProps {
  readonly columns: Rows['columns']
  readonly chosen: readonly string[]
  readonly onChoose: (names: readonly string[]) => void
}

/** Numeric columns first; others can be counted. */
export function ColumnsField({ columns, chosen, onChoose }: ColumnsFieldProps) {
  const missing = chosen.filter((name) => columns.every((column) => column.name !== name))
  const offered = columns
    .toSorted((one, other) => Number(kindOf(other) === 'number') - Number(kindOf(one) === 'number'))
    .map(({ name }) => name)
  return (
    <fieldset className="wide">
      <legend>y axis</legend>
      {[...missing, ...offered].map((name, at) => (
        <Checkbox
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
          key={at}
          checked={chosen.includes(name)}
          onChange={(isIn) => onChoose(isIn ? [...chosen, name] : chosen.filter((other) => other !== name))}
        >
          {visibleText(name)}
          {missing.includes(name) && ' (missing)'}
        </Checkbox>
      ))}
    </fieldset>
  )
}
