import type { SVGProps } from 'react'
import type { ColumnProfile } from '../../domain/table-profile.ts'

interface BarsProps extends SVGProps<SVGSVGElement> {
  readonly bins: ColumnProfile['bins']
  readonly size: { readonly width: number; readonly height: number }
  /** The histogram as text for screen readers. */
  readonly label: string
}

const gap = 1

/** A histogram. Bars start at zero; every existing value is at least one pixel high. */
export function Bars({ bins, size: { width, height }, label, ...svg }: BarsProps) {
  const top = Math.max(1, ...bins.map(({ count }) => count))
  const step = (width + gap) / Math.max(1, bins.length)
  return (
    <svg {...svg} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {bins.map(({ count }, index) => {
        const tall = count > 0 ? round(Math.max(1, (count / top) * height)) : 0
        const x = round(index * step)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
          <rect key={index} x={x} y={round(height - tall)} width={round(Math.max(0.5, step - gap))} height={tall} />
        )
      })}
    </svg>
  )
}

const round = (value: number): number => Math.round(value * 100) / 100
