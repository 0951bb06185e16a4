/** Never rounds money below a cent to nothing: `$0.004`, not `$0.00`. */
export function formatMoney(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '<$0.0001'
  if (usd < 0.01) return `$${Number(usd.toPrecision(2))}`
  return `$${usd.toFixed(2)}`
}

/** A limit is written as people set it: `$5`, `$0.50`. */
export const formatLimit = (usd: number): string => (Number.isInteger(usd) ? `$${usd}` : formatMoney(usd))

export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${trim(count / 1000)} k`
  return `${trim(count / 1_000_000)} M`
}

const trim = (value: number): string => (value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value)))
