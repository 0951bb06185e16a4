// Finds similar names.

/** At most three, nearest first. */
export function nearNames(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = name.toLowerCase()
  const far = Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= far)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** A name that contains the other is near, whatever its length. */
function distanceOf(a: string, b: string): number {
  if (a === b) return 0
  if (a.length >= 3 && (b.includes(a) || (b.length >= 3 && a.includes(b)))) return 1
  return a.length > 100 || b.length > 100 ? Number.POSITIVE_INFINITY : edits(a, b)
}

/** Edit distance: letters to add, remove, change or swap. */
function edits(a: string, b: string): number {
  const [from, to] = [[...a], [...b]]
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of from.entries()) {
    const line = [row + 1]
    for (const [column, other] of to.entries()) {
      const changed = (last[column] ?? 0) + (letter === other ? 0 : 1)
      const isSwap = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === other
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      line.push(Math.min(changed, swapped, (last[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1))
    }
    before = last
    last = line
  }
  return last.at(-1) ?? 0
}
