// The few one-line bugs that the simulator can fix, matched against the text of the file.

export interface KnownBug {
  readonly oldLine: string
  readonly newLine: string
  readonly line: number
  readonly why: string
}

interface BugPattern {
  readonly wrong: RegExp
  readonly right: string
  readonly why: string
  /** The pattern is a bug only in a file that matches this. */
  readonly onlyIf?: RegExp
}

const bugPatterns: readonly BugPattern[] = [
  {
    wrong: /\+ (\w+)\.price\b(?!\s*\*)/,
    right: '+ $1.price * $1.quantity',
    why: 'the sum adds each price once and forgets the quantity',
    onlyIf: /\bquantity\b/,
  },
  {
    wrong: /Math\.(?:floor|trunc|ceil)\((\w+) \* 100\) \/ 100/,
    right: 'Math.round($1 * 100) / 100',
    why: 'amounts are cut off instead of rounded to cents',
  },
  { wrong: /(\w+) <= (\w+)\.length/, right: '$1 < $2.length', why: 'the loop runs one step past the end of the list' },
]

export function findKnownBug(source: string): KnownBug | null {
  const lines = source.split('\n')
  for (const pattern of bugPatterns) {
    if (pattern.onlyIf && !pattern.onlyIf.test(source)) continue
    const at = lines.findIndex((line) => pattern.wrong.test(line))
    const oldLine = lines[at]
    if (oldLine === undefined || source.split(oldLine).length !== 2) continue
    return { oldLine, newLine: oldLine.replace(pattern.wrong, pattern.right), line: at + 1, why: pattern.why }
  }
  return null
}
