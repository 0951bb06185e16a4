import '../grid/rows-grid.css'
import { visibleText } from '@quarterdeck/protocol'
import { Lock, LockOpen } from 'lucide-react'
import { type Column, kindOf } from '../../domain/cells.ts'
import type { ColumnProfile } from '../../domain/table-profile.ts'
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

/** Kind, name, one fact, histogram and lock of a column. A model never sees a locked column, not even its name. */
export function ColumnRow(props: ColumnRowProps) {
  const { column, profile, rowCount, isNeverSent, disabled, onNeverSent } = props
  const [name, type] = [visibleText(column.name), column.type.toLowerCase()]
  return (
    // The profile has the full name and exact type; here is only space for a tooltip.
    <li className={isNeverSent ? 'column never' : 'column'} title={`${name}, ${type}`}>
      <KindIcon kind={kindOf(column)} />
      <bdi className="ellipsis grow">{name}</bdi>
      <span className="visually-hidden">{type}</span>
      {isNeverSent ? (
        <span className="fact">never sent</span>
      ) : (
        profile !== null && (
          <>
            <span className="fact num">{columnFact(profile, rowCount)}</span>
            <MiniBars bins={profile.bins} label={shapeLabel(profile)} />
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
        {isNeverSent ? (
          <Lock className="icon s" aria-hidden="true" />
        ) : (
          <LockOpen className="icon s" aria-hidden="true" />
        )}
      </button>
    </li>
  )
}

interface MiniBarsProps {
  readonly bins: readonly { readonly label: string; readonly count: number }[]
  /** The histogram as text for screen readers. */
  readonly label: string
}

const [width, height, gap] = [48, 14, 1]

/** A small histogram. Bars start at zero; every existing value is at least one pixel high. */
export function MiniBars({ bins, label }: MiniBarsProps) {
  const top = Math.max(1, ...bins.map(({ count }) => count))
  const step = (width + gap) / Math.max(1, bins.length)
  return (
    <svg className="mini-bars" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {bins.map(({ count }, index) => {
        const tall = count > 0 ? Math.max(1, (count / top) * height) : 0
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
            key={index}
            x={round(index * step)}
            y={round(height - tall)}
            width={round(Math.max(0.5, step - gap))}
            height={round(tall)}
          />
        )
      })}
    </svg>
  )
}

const round = (value: number): number => Math.round(value * 100) / 100
