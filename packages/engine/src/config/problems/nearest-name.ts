/** The known name a person most likely meant, or undefined when nothing is close enough to be worth saying. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined
  const wanted = normalise(name)
  // Two letters swapped count as two edits, so words of four letters and more get at least that.
  const reach = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(wanted, normalise(candidate))
    if (distance <= reach && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance }
  }
  return best?.name ?? longerName(wanted, known)
}

/** `PreTool` for `PreToolUse`: the shortest name that goes on from there. */
function longerName(wanted: string, known: Iterable<string>): string | undefined {
  if (wanted.length < 4) return undefined
  const longer = [...known].filter((candidate) => normalise(candidate).startsWith(wanted))
  return longer.toSorted((left, right) => left.length - right.length)[0]
}

// camelCase, kebab-case and plurals of a key are the same word to the person who typed it.
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
