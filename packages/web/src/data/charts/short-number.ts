import { numberLabel, roundedLabel } from './number-label.ts'

/** A number where there is little room: like any other below a million, then `2.42 M`. */
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
