import type { CSSProperties } from 'react'

/** Accent, warning from 80 %, error at the limit. The amounts are always written beside it. */
export function Meter({ value, limit }: { readonly value: number; readonly limit: number }) {
  const share = limit > 0 ? Math.min(1, value / limit) : 0
  const tone = share >= 1 ? 'over' : share >= 0.8 ? 'near' : ''
  const style: CSSProperties & Record<'--at', string> = { '--at': `${(share * 100).toFixed(1)}%` }
  return (
    <span className={`meter ${tone}`} style={style} aria-hidden="true">
      <i />
    </span>
  )
}
