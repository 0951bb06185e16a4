/** A number where there is little room: `15.5`, `2.42 M`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2)
  for (const [unit, word] of units) {
    if (size >= unit) return `${Number((value / unit).toPrecision(3))}${word}`
  }
  return Number(value.toPrecision(size >= 1000 ? 6 : 4)).toLocaleString('en-US', { maximumFractionDigits: 6 })
}

const units = [
  [1e12, ' T'],
  [1e9, ' G'],
  [1e6, ' M'],
] as const
