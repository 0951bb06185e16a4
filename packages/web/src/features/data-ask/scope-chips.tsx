import { Table2 } from 'lucide-react'
import { ScopePicker } from './scope-picker.tsx'

interface ScopeChipsProps {
  readonly tables: readonly string[]
  readonly scope: readonly string[]
  readonly onScope: (scope: readonly string[]) => void
}

const mostChips = 6

/** The tables a question is about; one more or less by a press. Many of them are in a list that opens. */
export function ScopeChips({ tables, scope, onScope }: ScopeChipsProps) {
  if (tables.length > mostChips) return <ScopePicker {...{ tables, scope, onScope }} />
  return (
    <fieldset className="scope">
      <legend className="unseen">Tables the question is about</legend>
      {tables.map((name) => {
        const isIn = scope.includes(name)
        return (
          <button
            type="button"
            key={name}
            className="chip line"
            aria-pressed={isIn}
            onClick={() => onScope(isIn ? scope.filter((other) => other !== name) : [...scope, name])}
          >
            <Table2 className="icon s" aria-hidden="true" />
            <span className="cut">{name}</span>
          </button>
        )
      })}
    </fieldset>
  )
}
