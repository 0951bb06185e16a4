import { visibleText } from '@quarterdeck/protocol'

interface ColumnHistogramProps {
  readonly bins: readonly { readonly label: string; readonly count: number }[]
  /** The ends of the range as text. */
  readonly from: string
  readonly to: string
  readonly name: string
}

const [width, height, gap] = [280, 56, 1]

/** Equal bins over the range, with bars from zero. */
export function ColumnHistogram({ bins, from, to, name }: ColumnHistogramProps) {
  const top = Math.max(1, ...bins.map(({ count }) => count))
  const step = width / bins.length
  const highest = bins.find(({ count }) => count === top)
  const most = highest === undefined ? '' : `, most often ${visibleText(highest.label)}`
  return (
    <figure className="histogram">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${name} from ${from} to ${to}${most}`}
        preserveAspectRatio="none"
      >
        {bins.map(({ count }, index) => {
          const tall = count === 0 ? 0 : Math.max(1, (count / top) * height)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
            <rect key={index} x={index * step} y={height - tall} width={Math.max(0.5, step - gap)} height={tall} />
          )
        })}
      </svg>
      <figcaption>
        <span className="cut">{from}</span>
        <span className="cut">{to}</span>
      </figcaption>
      <details className="bars">
        <summary aria-label={`Every bar of ${name}`}>Every bar</summary>
        <ul>
          {bins.map(({ label, count }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
            <li key={index}>
              <span className="grow">{visibleText(label)}</span>
              <span className="num">{count.toLocaleString('en-US')}</span>
            </li>
          ))}
        </ul>
      </details>
    </figure>
  )
}
