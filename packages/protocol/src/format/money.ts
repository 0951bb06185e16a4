import { formatCount } from './count.ts'

/** Never rounds a real amount to zero: `$0.0064`, not `$0.00`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '<$0.0001'
  if (usd < 0.01) return `$${Number(usd.toPrecision(2))}`
  return `$${usd.toFixed(2)}`
}

/** A limit as people write it: `$5`, `$0.50`. */
export const formatLimit = (usd: number): string => (Number.isInteger(usd) ? `$${usd}` : formatUsd(usd))

interface Spent {
  readonly costUsd: number
  readonly hasUnpricedUsage: boolean
}

/** A sum with unknown prices is a lower bound: `≥ $0.50`. */
export const formatSpent = ({ costUsd, hasUnpricedUsage }: Spent): string =>
  `${hasUnpricedUsage ? '≥ ' : ''}${formatUsd(costUsd)}`

/** Units are counted like tokens: `12,500 units`. */
export const formatUnits = (units: number): string => `${formatCount(Math.round(units))} units`

interface SpentOfLimit {
  readonly unit: 'usd' | 'units'
  readonly spent: number
  readonly limit: number
}

/** `$4.90 of $5`, `9,800 of 10,000 units`. */
export const formatSpentOfLimit = ({ unit, spent, limit }: SpentOfLimit): string =>
  unit === 'usd'
    ? `${formatUsd(spent)} of ${formatLimit(limit)}`
    : `${formatCount(Math.round(spent))} of ${formatUnits(limit)}`

/**
 * The savings of cheaper models against `high`: `saved $0.12 (40 %)`. More expensive models are shown too; without a
 * difference the text is empty.
 */
export function formatSaved({ costUsd, savedUsd }: { readonly costUsd: number; readonly savedUsd: number }): string {
  // A difference within rounding is not a saving.
  if (Math.abs(savedUsd) < 0.000001) return ''
  if (savedUsd < 0) return `${formatUsd(-savedUsd)} more than on high`
  const percent = Math.round((100 * savedUsd) / (costUsd + savedUsd))
  return `saved ${formatUsd(savedUsd)} (${percent} %)`
}
