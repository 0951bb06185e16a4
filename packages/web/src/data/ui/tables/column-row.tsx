import '../grid/rows-grid.css'
import { visibleText } from '@quarterdeck/protocol'
import { Lock, LockOpen } from 'lucide-react'
import { formatCount } from '../../../components/format/format-count.ts'
import { type Cell, type Column, cellText, kindOf } from '../../domain/cells.ts'
import type { ColumnProfile } from '../../domain/table-profile.ts'
import { KindIcon } from '../controls/kind-icon.tsx'

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
      <bdi className="cut grow">{name}</bdi>
      <span className="unseen">{type}</span>
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

// The most useful fact about a column, where there is space for one.
export function columnFact(column: ColumnProfile, rowCount: number): string {
  if (rowCount === 0) return 'no rows'
  if (column.nulls === rowCount) return 'empty'
  // The time range is more useful than uniqueness. Uniqueness is left out if there are empty cells.
  if (column.isUnique && column.nulls === 0 && column.kind !== 'date') return 'unique'
  const empty = (100 * column.nulls) / rowCount
  if (empty >= 0.05) return `${percent(empty)} % empty`
  if (column.distinct === 1) return 'all the same'
  const range = column.range === null ? null : rangeLabel(column.range, column.kind === 'date')
  if (range !== null) return range
  return `${formatCount(column.distinct)} values`
}

/** Describes the small histogram for screen readers. */
export function shapeLabel({ kind, range, top }: ColumnProfile): string {
  if (range !== null && (kind === 'number' || kind === 'date' || kind === 'time')) {
    return `from ${valueLabel(range.min)} to ${valueLabel(range.max)}`
  }
  const names = top.slice(0, 3).map(({ value }) => valueLabel(value))
  return names.length === 0 ? 'no values' : `most often ${names.join(', ')}`
}

function rangeLabel({ min, max }: { readonly min: Cell; readonly max: Cell }, isDate: boolean): string | null {
  if (min === null || max === null) return null
  if (isDate) return dateRange(String(min), String(max))
  if (typeof min === 'string' || typeof max === 'string') return null
  const both = `${short(Number(min))}–${short(Number(max))}`
  return both.length <= 13 ? both : null
}

/** `Jul–Sep`, `3–9 Jul`, `1998–2026`: as coarse as possible. */
function dateRange(min: string, max: string): string | null {
  const [from, to] = [min, max].map((text) => /^(\d{4})-(\d\d)-(\d\d)/.exec(text))
  if (!from || !to) return null
  const [, year, month, day] = from
  const [, toYear, toMonth, toDay] = to
  if (year !== toYear) return `${year}–${toYear}`
  if (month !== toMonth) return `${monthOf(month)}–${monthOf(toMonth)}`
  return day === toDay ? `${Number(day)} ${monthOf(month)}` : `${Number(day)}–${Number(toDay)} ${monthOf(month)}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthOf = (text: string | undefined): string => months[Number(text) - 1] ?? ''

const short = (value: number): string => {
  if (Math.abs(value) >= 10_000) return (value < 0 ? '-' : '') + formatCount(Math.abs(value))
  return String(Number(value.toPrecision(3)))
}

const percent = (share: number): string => (share < 10 ? share.toFixed(1) : String(Math.round(share)))

const valueLabel = (cell: Cell): string => (cell === null ? 'nothing' : cellText(cell).slice(0, 40))
