import { visibleText } from '@quarterdeck/protocol'

interface HistogramProps {
  readonly bins: readonly { readonly label: string; readonly count: number }[]
  readonly label: string
}

const [width, height, gap] = [280, 56, 1]

/** Equal bins over the range, bars from zero; the first and the last bin are named below. */
export function Histogram({ bins, label }: HistogramProps) {
  const top = Math.max(1, ...bins.map(({ count }) => count))
  const step = width / bins.length
  const highest = bins.find(({ count }) => count === top)
  const summary = highest === undefined ? label : `${label}: most at ${visibleText(highest.label)}, ${top} rows`
  return (
    <figure className="histogram">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary} preserveAspectRatio="none">
        {bins.map(({ label: words, count }, place) => {
          const tall = count === 0 ? 0 : Math.max(1, (count / top) * height)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never change their places
            <rect key={place} x={place * step} y={height - tall} width={Math.max(0.5, step - gap)} height={tall}>
              <title>{`${visibleText(words)}: ${count.toLocaleString('en-US')}`}</title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}
