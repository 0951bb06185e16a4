import { Table2 } from 'lucide-react'
import { ScopePicker, type ScopeProps } from './scope-picker.tsx'

const maxChips = 6

/** The tables in scope as buttons; many tables are in a menu. */
export function ScopeChips({ tables, scope, onScope }: ScopeProps) {
  if (tables.length > maxChips) return <ScopePicker tables={tables} scope={scope} onScope={onScope} />
  return (
    <fieldset className="scope">
      <legend className="unseen">Tables in scope</legend>
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
