import { visibleText } from '@quarterdeck/protocol'
import { ChevronDown, Table2 } from 'lucide-react'
import { useState } from 'react'
import { useMenuPopup } from '../../../components/controls/use-menu-popup.ts'
import { Checkbox } from '../controls/checkbox.tsx'
import { QuietButton } from '../controls/quiet-button.tsx'
import { SmallButton } from '../controls/small-button.tsx'

const maxChips = 6

/** The tables in scope as buttons; many tables are in a menu. */
export function ScopeChips({ tables, scope, onScope }: ScopeProps) {
  if (tables.length > maxChips) return <ScopePicker tables={tables} scope={scope} onScope={onScope} />
  return (
    <fieldset className="scope">
      <legend className="visually-hidden">Tables in scope</legend>
      {tables.map((name) => (
        <button
          type="button"
          key={name}
          className="chip line"
          aria-pressed={scope.includes(name)}
          onClick={() => onScope(toggled(scope, name))}
        >
          <Table2 className="icon s" aria-hidden="true" />
          <span className="ellipsis">{visibleText(name)}</span>
        </button>
      ))}
    </fieldset>
  )
}

const toggled = (scope: readonly string[], name: string): readonly string[] =>
  scope.includes(name) ? scope.filter((other) => other !== name) : [...scope, name]

interface ScopeProps {
  readonly tables: readonly string[]
  readonly scope: readonly string[]
  readonly onScope: (scope: readonly string[]) => void
}

/** The scope with many tables: a summary that opens a searchable list. */
function ScopePicker({ tables, scope, onScope }: ScopeProps) {
  const { box } = useMenuPopup()
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = tables.filter((name) => name.toLowerCase().includes(wanted))
  const chosen = tables.filter((name) => scope.includes(name))
  const summary = `${chosen.length} of ${tables.length} tables`
  return (
    <details className="menu up scope-picker" {...box}>
      <summary className="btn s quiet" aria-label={`Tables in scope: ${summary}`}>
        <Table2 className="icon s" aria-hidden="true" />
        <span className="num">{summary}</span>
        <ChevronDown className="icon s" aria-hidden="true" />
      </summary>
      {/* Focusable: a click between the fields would otherwise move the focus out and close the menu. */}
      <div className="overlay" tabIndex={-1}>
        <div className="scope-tools">
          <input
            className="field"
            type="search"
            placeholder="Search tables"
            aria-label="Search tables"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
          <SmallButton onClick={() => onScope([...new Set([...scope, ...found])])}>
            All{wanted !== '' && ' matching'}
          </SmallButton>
          <SmallButton onClick={() => onScope(scope.filter((name) => !found.includes(name)))}>
            None{wanted !== '' && ' matching'}
          </SmallButton>
        </div>
        <ul className="scroll" aria-label="Tables">
          {found.map((name) => (
            <li key={name} className="row">
              <Checkbox
                className="row grow"
                checked={scope.includes(name)}
                onChange={() => onScope(toggled(scope, name))}
              >
                <span className="ellipsis">{visibleText(name)}</span>
              </Checkbox>
              <QuietButton aria-label={`Only this: ${visibleText(name)}`} onClick={() => onScope([name])}>
                Only this
              </QuietButton>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="muted">No table name contains “{search.trim()}”.</p>}
      </div>
    </details>
  )
}
