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
