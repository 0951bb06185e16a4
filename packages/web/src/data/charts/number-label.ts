/**
 * A number of a result as a person reads it, wherever the page writes one: `285,599.35`, `14.84`, `0.3333`. Two decimals,
 * more only where they are among the first four digits; halves go away from zero.
 */
export function numberLabel(value: number): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return String(value)
  if (size > 0 && size < 1e-4) return value.toExponential(2)
  return roundedLabel(value, size < 100 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 2 })
}

/** Rounds the decimal that is meant: sums end in noise behind the fifteenth digit, and `toFixed` would round that. */
export const roundedLabel = (value: number, digits: Intl.NumberFormatOptions): string =>
  Number(value.toPrecision(15)).toLocaleString('en-US', digits)
