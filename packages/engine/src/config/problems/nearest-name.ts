/** The known name the user most likely meant, or undefined if none is close enough. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined
  const wanted = normalise(name)
  // Two swapped letters count as two edits, so names of four letters or more allow at least two.
  const reach = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(wanted, normalise(candidate))
    if (distance <= reach && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance }
  }
  return best?.name ?? longerName(wanted, known)
}

/** `PreToolUse` for `PreTool`: the shortest known name with this prefix. */
function longerName(wanted: string, known: Iterable<string>): string | undefined {
  if (wanted.length < 4) return undefined
  const longer = [...known].filter((candidate) => normalise(candidate).startsWith(wanted))
  return longer.toSorted((left, right) => left.length - right.length)[0]
}

// Ignores case and separators, so that camelCase and kebab-case spellings of a key are equal.
const normalise = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '')

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(row, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1))
    }
    row = next
  }
  return at(row, right.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
