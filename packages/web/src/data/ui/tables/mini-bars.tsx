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
