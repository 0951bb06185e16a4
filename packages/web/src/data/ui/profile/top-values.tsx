import { visibleText } from '@quarterdeck/protocol'
import type { CSSProperties } from 'react'
import { cellText } from '../../domain/cells.ts'
import type { ColumnProfile } from '../../domain/table-profile.ts'

interface TopValuesProps {
  readonly profile: ColumnProfile
  readonly rowCount: number
}

const shown = 5

/** The most frequent values with their share, and the number of all others. */
export function TopValues({ profile, rowCount }: TopValuesProps) {
  const { top, distinct, nulls, column } = profile
  if (top.length === 0) return <p className="muted">{nulls === rowCount ? 'No values.' : 'No frequent values.'}</p>
  const values = top.slice(0, shown)
  const counted = values.reduce((sum, { count }) => sum + count, 0)
  const rest = rowCount - nulls - counted
  return (
    <ul className="top-values" aria-label={`Most frequent values of ${visibleText(column.name)}`}>
      {values.map(({ value, count }) => (
        <li key={`${typeof value} ${value}`} style={barOf(count / Math.max(1, rowCount))}>
          <bdi className="cut grow">{value === null ? 'empty' : visibleText(cellText(value)) || 'empty text'}</bdi>
          <span className="muted num">{percent(count, rowCount)}</span>
        </li>
      ))}
      {rest > 0 && (
        <li className="rest">
          <span className="grow muted num">{othersLabel(Math.max(1, distinct - values.length))}</span>
          <span className="muted num">{percent(rest, rowCount)}</span>
        </li>
      )}
    </ul>
  )
}

const othersLabel = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'other' : 'others'}`

function barOf(share: number): CSSProperties & Record<'--at', string> {
  return { '--at': `${(share * 100).toFixed(1)}%` }
}

function percent(count: number, rowCount: number): string {
  const share = rowCount === 0 ? 0 : (100 * count) / rowCount
  return share > 0 && share < 0.1 ? '< 0.1 %' : `${share.toFixed(share < 10 ? 1 : 0)} %`
}
