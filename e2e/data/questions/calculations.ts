// Expected results, calculated in plain loops.

export type Value = string | number | boolean | null
export type ResultRow = readonly Value[]

export const sum = (values: readonly (number | null)[]): number => known(values).reduce((total, one) => total + one, 0)

export const known = <T>(values: readonly (T | null)[]): readonly T[] =>
  values.flatMap((value) => (value === null ? [] : [value]))

export const mean = (values: readonly (number | null)[]): number => sum(values) / known(values).length

/** Interpolates between the two nearest values. */
export function quantile(values: readonly (number | null)[], part: number): number {
  const sorted = [...known(values)].sort((a, b) => a - b)
  const place = (sorted.length - 1) * part
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0]
  return low + (high - low) * (place - Math.floor(place))
}

export function spread(values: readonly (number | null)[]): number {
  const all = known(values)
  const middle = mean(all)
  return Math.sqrt(sum(all.map((one) => (one - middle) ** 2)) / (all.length - 1))
}

export function groupBy<T, Key extends Value>(
  rows: readonly T[],
  keyOf: (row: T) => Key,
): readonly [Key, readonly T[]][] {
  const groups = new Map<Key, T[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups]
}

/** Sorts by one column with nulls last, like `ORDER BY`. */
export const sortBy =
  (place: number, direction: 1 | -1 = 1) =>
  (a: ResultRow, b: ResultRow): number => {
    const [left, right] = [a[place] ?? null, b[place] ?? null]
    if (left === right) return 0
    if (left === null) return 1
    if (right === null) return -1
    return (left < right ? -1 : 1) * direction
  }
