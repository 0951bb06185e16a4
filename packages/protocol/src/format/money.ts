/** Never rounds a real sum to zero: `$0.0064`, not `$0.00`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '<$0.0001'
  if (usd < 0.01) return `$${Number(usd.toPrecision(2))}`
  return `$${usd.toFixed(2)}`
}

/** A limit is written as people set it: `$5`, `$0.50`. */
export const formatLimit = (usd: number): string => (Number.isInteger(usd) ? `$${usd}` : formatUsd(usd))

interface Spent {
  readonly costUsd: number
  readonly hasUnpricedUsage: boolean
}

/** A sum of which some has no known price is the least it can be: `≥ $0.50`. */
export const formatSpent = ({ costUsd, hasUnpricedUsage }: Spent): string =>
  `${hasUnpricedUsage ? '≥ ' : ''}${formatUsd(costUsd)}`

/** Units are counted like tokens: `12,500 units`. */
export const formatUnits = (units: number): string => `${Math.round(units).toLocaleString('en-US')} units`

/**
 * What choosing cheaper models saved against `high`: `saved $0.12 (40 %)`. Dearer ones are said as plainly; nothing to
 * say is the empty text.
 */
export function formatSaved({ costUsd, savedUsd }: { readonly costUsd: number; readonly savedUsd: number }): string {
  // What cannot be told apart from rounding is not a saving.
  if (Math.abs(savedUsd) < 0.000001) return ''
  if (savedUsd < 0) return `${formatUsd(-savedUsd)} more than on high`
  const percent = Math.round((100 * savedUsd) / (costUsd + savedUsd))
  return `saved ${formatUsd(savedUsd)} (${percent} %)`
}
