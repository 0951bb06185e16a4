import { visibleText } from '@quarterdeck/protocol'
import { Info } from 'lucide-react'
import { cellText } from '../../analysis/cell-text.ts'
import type { Cell } from '../../analysis/cells.ts'
import type { ColumnProfile } from '../../analysis/profile.ts'
import { KindIcon } from '../../ui/kind-icon.tsx'
import { Histogram } from './histogram.tsx'
import { TopValues } from './top-values.tsx'

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
    <li className="profile-column">
      <div className="profile-name">
        <KindIcon kind={kind} />
        <h3 className="cut grow">
          <bdi>{name}</bdi>
        </h3>
        {isNeverSent && <span className="chip">never sent</span>}
        <span className="muted">{column.type.toLowerCase()}</span>
      </div>
      {isMeasured ? (
        <Histogram bins={bins} from={words(range.min)} to={words(range.max)} name={name} />
      ) : (
        <TopValues profile={profile} rowCount={rowCount} />
      )}
      <dl className="profile-numbers num">
        <Fact name="Empty" value={share(profile.nulls, rowCount)} />
        <Fact name="Different" value={profile.isUnique ? 'every one' : profile.distinct.toLocaleString('en-US')} />
        {range !== null && !isMeasured && (
          <>
            <Fact name="From" value={words(range.min)} />
            <Fact name="To" value={words(range.max)} />
          </>
        )}
        {profile.quantiles !== null && (
          <>
            <Fact name="Lower quarter" value={words(profile.quantiles.q25)} isDate={kind === 'date'} />
            <Fact name="Middle" value={words(profile.quantiles.median)} isDate={kind === 'date'} />
            <Fact name="Upper quarter" value={words(profile.quantiles.q75)} isDate={kind === 'date'} />
            {profile.quantiles.mean !== null && (
              <Fact name="Mean" value={words(profile.quantiles.mean)} isDate={kind === 'date'} />
            )}
          </>
        )}
      </dl>
      {remarks.length > 0 && (
        <ul className="profile-remarks">
          {remarks.map((remark) => (
            <li key={remark}>
              <Info className="icon s" aria-hidden="true" />
              {visibleText(remark)}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

interface FactProps {
  readonly name: string
  readonly value: string
  readonly isDate?: boolean
}

/** Of a moment the day is enough; the rest of it is in the title. */
function Fact({ name, value, isDate = false }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={value}>{isDate ? value.slice(0, 10) : value}</dd>
    </div>
  )
}

function share(nulls: number, rowCount: number): string {
  if (nulls === 0 || rowCount === 0) return 'none'
  const percent = (100 * nulls) / rowCount
  return `${nulls.toLocaleString('en-US')} (${percent < 0.1 ? 'under 0.1' : percent.toFixed(1)} %)`
}

function words(cell: Cell): string {
  if (cell === null) return '–'
  if (typeof cell === 'number') return cell.toLocaleString('en-US', { maximumSignificantDigits: 6, useGrouping: true })
  if (typeof cell === 'bigint') return cell.toLocaleString('en-US')
  // A moment at midnight is a day.
  return visibleText(cellText(cell))
    .replace(/[T ]00:00:00(\.0+)?$/, '')
    .replace('T', ' ')
}
