export interface DiffLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
  /** The line number in the new file, or in the old file for a removed line. `null` if unknown. */
  readonly number: number | null
}

export interface LineDiff {
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

/** Above this many comparisons, the diff removes all old lines and adds all new ones. */
const comparisonLimit = 400_000

/** The line diff of two texts. `firstLine` is the line number where they start in their file, if known. */
export function diffLines(before: string, after: string, firstLine: number | null = null): LineDiff {
  const old = linesOf(before)
  const fresh = linesOf(after)
  const signs = old.length * fresh.length > comparisonLimit ? replaceAll(old, fresh) : compare(old, fresh)
  let oldLine = firstLine
  let newLine = firstLine
  const lines = signs.map(({ sign, text }): DiffLine => {
    const number = sign === '-' ? oldLine : newLine
    if (sign !== '+' && oldLine !== null) oldLine += 1
    if (sign !== '-' && newLine !== null) newLine += 1
    return { sign, text, number }
  })
  return {
    lines,
    added: lines.filter((line) => line.sign === '+').length,
    removed: lines.filter((line) => line.sign === '-').length,
  }
}

type Signed = Pick<DiffLine, 'sign' | 'text'>

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const replaceAll = (old: readonly string[], fresh: readonly string[]): Signed[] => [
  ...old.map((text): Signed => ({ sign: '-', text })),
  ...fresh.map((text): Signed => ({ sign: '+', text })),
]

/** Longest common subsequence, filled from the back, so that the loop below can run forward. */
function compare(old: readonly string[], fresh: readonly string[]): Signed[] {
  const width = fresh.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const signs: Signed[] = []
  let row = 0
  let column = 0
  while (row < old.length || column < fresh.length) {
    const oldText = old[row]
    const newText = fresh[column]
    if (oldText !== undefined && oldText === newText) {
      signs.push({ sign: ' ', text: oldText })
      row += 1
      column += 1
    } else if (oldText !== undefined && (newText === undefined || at(row + 1, column) >= at(row, column + 1))) {
      signs.push({ sign: '-', text: oldText })
      row += 1
    } else if (newText !== undefined) {
      signs.push({ sign: '+', text: newText })
      column += 1
    }
  }
  return signs
}
