import { formatCount, visibleText } from '@quarterdeck/protocol'
import type { ColumnProfile } from '../../domain/table-profile.ts'
import { Bars } from '../controls/bars.tsx'

interface ColumnHistogramProps {
  readonly bins: ColumnProfile['bins']
  /** The ends of the range as text. */
  readonly from: string
  readonly to: string
  readonly name: string
}

const size = { width: 280, height: 56 }

/** Equal bins over the range. */
export function ColumnHistogram({ bins, from, to, name }: ColumnHistogramProps) {
  const top = Math.max(1, ...bins.map(({ count }) => count))
  const highest = bins.find(({ count }) => count === top)
  const most = highest === undefined ? '' : `, most often ${visibleText(highest.label)}`
  return (
    <figure className="histogram">
      <Bars bins={bins} size={size} label={`${name} from ${from} to ${to}${most}`} preserveAspectRatio="none" />
      <figcaption className="caption num">
        <span className="ellipsis">{from}</span>
        <span className="ellipsis">{to}</span>
      </figcaption>
      <details className="bars caption">
        <summary aria-label={`Every bar of ${name}`}>Every bar</summary>
        <ul>
          {bins.map(({ label, count }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
            <li key={index}>
              <span className="grow">{visibleText(label)}</span>
              <span className="num">{formatCount(count)}</span>
            </li>
          ))}
        </ul>
      </details>
    </figure>
  )
}
