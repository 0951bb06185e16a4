import '../grid/rows-grid.css'
import { visibleText } from '@quarterdeck/protocol'
import { Lock, LockOpen } from 'lucide-react'
import { type Column, kindOf } from '../../domain/cells.ts'
import type { ColumnProfile } from '../../domain/table-profile.ts'
import { Bars } from '../controls/bars.tsx'
import { KindIcon } from '../controls/kind-icon.tsx'
import { columnFact, shapeLabel } from './column-fact.ts'

interface ColumnRowProps {
  readonly column: Column
  /** `null` until known. */
  readonly profile: ColumnProfile | null
  readonly rowCount: number
  readonly isNeverSent: boolean
  readonly disabled: boolean
  readonly onNeverSent: (isNeverSent: boolean) => void
}

const barsSize = { width: 48, height: 14 }

/** Kind, name, one fact, histogram and lock of a column. A model never sees a locked column, not even its name. */
export function ColumnRow(props: ColumnRowProps) {
  const { column, profile, rowCount, isNeverSent, disabled, onNeverSent } = props
  const [name, type] = [visibleText(column.name), column.type.toLowerCase()]
  const LockIcon = isNeverSent ? Lock : LockOpen
  return (
    // The profile has the full name and exact type; here is only space for a tooltip.
    <li className={isNeverSent ? 'row column never' : 'row column'} title={`${name}, ${type}`}>
      <KindIcon kind={kindOf(column)} />
      <bdi className="ellipsis grow">{name}</bdi>
      <span className="visually-hidden">{type}</span>
      {isNeverSent ? (
        <span className="fact caption ellipsis">never sent</span>
      ) : (
        profile !== null && (
          <>
            <span className="fact caption ellipsis num">{columnFact(profile, rowCount)}</span>
            <Bars className="mini-bars" bins={profile.bins} size={barsSize} label={shapeLabel(profile)} />
          </>
        )
      )}
      <button
        type="button"
        role="switch"
        className="lock"
        aria-checked={isNeverSent}
        aria-label={`Never send ${name}`}
        title={isNeverSent ? 'Never sent. Press to allow sending' : 'Press to never send it'}
        disabled={disabled}
        onClick={() => onNeverSent(!isNeverSent)}
      >
        <LockIcon className="icon s" aria-hidden="true" />
      </button>
    </li>
  )
}
