/** A short count: `999`, `1.2 k`, `1.9 M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${trim(count / 1000)} k`
  return `${trim(count / 1_000_000)} M`
}

const trim = (value: number): string => (value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value)))
