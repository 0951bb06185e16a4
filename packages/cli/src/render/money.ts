/** Never rounds a real sum to zero: $0.004, not $0.00. */
export function formatUsd(amount: number): string {
  if (amount === 0) return '$0'
  if (amount < 0.000001) return '<$0.000001'
  return `$${amount >= 0.1 ? amount.toFixed(2) : amount.toPrecision(2)}`
}

export const formatCount = (count: number): string => count.toLocaleString('en-US')

export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`
}
