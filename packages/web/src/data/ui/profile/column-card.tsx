import { formatCount, visibleText } from '@quarterdeck/protocol'
import type { CSSProperties } from 'react'
import { type Cell, cellText } from '../../domain/cells.ts'
import type { ColumnProfile } from '../../domain/table-profile.ts'
import { InfoList } from '../controls/info-list.tsx'
import { KindIcon } from '../controls/kind-icon.tsx'
import { ColumnHistogram } from './column-histogram.tsx'

interface ColumnCardProps {
  readonly profile: ColumnProfile
  readonly rowCount: number
  readonly isNeverSent: boolean
}

export function ColumnCard({ profile, rowCount, isNeverSent }: ColumnCardProps) {
  const { column, kind, remarks, bins, range } = profile
  const name = visibleText(column.name)
  const isMeasured = range !== null && bins.length > 1 && (kind === 'number' || kind === 'date' || kind === 'time')
  return (
    <li className="stack profile-column">
      <div className="row profile-name">
        <KindIcon kind={kind} />
        <h3 className="grow">
          <bdi>{name}</bdi>
        </h3>
        {isNeverSent && <span className="chip">never sent</span>}
        <span className="caption ellipsis">{column.type.toLowerCase()}</span>
      </div>
      {isMeasured ? (
        <ColumnHistogram bins={bins} from={valueLabel(range.min)} to={valueLabel(range.max)} name={name} />
      ) : (
        <TopValues profile={profile} rowCount={rowCount} />
      )}
      <dl className="profile-numbers num">
        <Fact name="Empty" value={share(profile.nulls, rowCount)} />
        <Fact name="Different" value={profile.isUnique ? 'every one' : formatCount(profile.distinct)} />
        {range !== null && !isMeasured && (
          <>
            <Fact name="From" value={valueLabel(range.min)} />
            <Fact name="To" value={valueLabel(range.max)} />
          </>
        )}
        {profile.quantiles !== null && (
          <>
            <Fact name="Lower quarter" value={valueLabel(profile.quantiles.q25)} />
            <Fact name="Middle" value={valueLabel(profile.quantiles.median)} />
            <Fact name="Upper quarter" value={valueLabel(profile.quantiles.q75)} />
            {profile.quantiles.mean !== null && <Fact name="Mean" value={valueLabel(profile.quantiles.mean)} />}
          </>
        )}
      </dl>
      <InfoList className="profile-remarks" items={remarks} />
    </li>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt className="caption">{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function share(nulls: number, rowCount: number): string {
  if (nulls === 0 || rowCount === 0) return 'none'
  const percent = (100 * nulls) / rowCount
  return `${formatCount(nulls)} (${percent < 0.1 ? 'under 0.1' : percent.toFixed(1)} %)`
}

function valueLabel(cell: Cell): string {
  if (cell === null) return '–'
  if (typeof cell === 'number') return cell.toLocaleString('en-US', { maximumSignificantDigits: 6, useGrouping: true })
  if (typeof cell === 'bigint') return formatCount(cell)
  // A timestamp at midnight is shown as a date.
  return visibleText(cellText(cell))
    .replace(/[T ]00:00:00(\.0+)?$/, '')
    .replace('T', ' ')
}

const shown = 5

/** The most frequent values with their share, and the number of all others. */
function TopValues({ profile, rowCount }: { readonly profile: ColumnProfile; readonly rowCount: number }) {
  const { top, distinct, nulls, column } = profile
  if (top.length === 0) return <p className="muted">{nulls === rowCount ? 'No values.' : 'No frequent values.'}</p>
  const values = top.slice(0, shown)
  const counted = values.reduce((sum, { count }) => sum + count, 0)
  const rest = rowCount - nulls - counted
  return (
    <ul className="top-values" aria-label={`Most frequent values of ${visibleText(column.name)}`}>
      {values.map(({ value, count }) => (
        <li key={`${typeof value} ${value}`} style={barOf(count / Math.max(1, rowCount))}>
          <bdi className="ellipsis grow">{value === null ? 'empty' : visibleText(cellText(value)) || 'empty text'}</bdi>
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

const othersLabel = (count: number): string => `${formatCount(count)} ${count === 1 ? 'other' : 'others'}`

function barOf(share: number): CSSProperties & Record<'--at', string> {
  return { '--at': `${(share * 100).toFixed(1)}%` }
}

function percent(count: number, rowCount: number): string {
  const share = rowCount === 0 ? 0 : (100 * count) / rowCount
  return share > 0 && share < 0.1 ? '< 0.1 %' : `${share.toFixed(share < 10 ? 1 : 0)} %`
}
