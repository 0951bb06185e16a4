/**
 * Formats a number for display, the same everywhere: `285,599.35`, `14.84`, `0.3333`. Two decimals, or more to show
 * four significant digits; halves round away from zero.
 */
export function numberLabel(value: number): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return String(value)
  if (size > 0 && size < 1e-4) return value.toExponential(2)
  return roundedLabel(value, size < 100 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 2 })
}

/** Rounds the decimal notation: sums have noise after the fifteenth digit, and `toFixed` would round that noise. */
export const roundedLabel = (value: number, digits: Intl.NumberFormatOptions): string =>
  Number(value.toPrecision(15)).toLocaleString('en-US', digits)

/** Formats a number for small spaces: unchanged below a million, then `2.42 M`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15) return value.toExponential(2)
  for (const [unit, word] of units) {
    if (size >= unit) return `${roundedLabel(value / unit, { maximumSignificantDigits: 3 })}${word}`
  }
  return numberLabel(value)
}

const units = [
  [1e12, ' T'],
  [1e9, ' G'],
  [1e6, ' M'],
] as const
