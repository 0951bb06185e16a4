// The lines of a long output that explain a failure, or its beginning and end.

const failure =
  /\b(?:\w*error|fail(?:ed|ure|ures|ing|s)?|assert\w*|\w*exception|traceback|panic(?:ked)?|fatal|denied|not ok|cannot|undefined)\b|[✗✘✖×❌]/i
const noFailure = /\b(?:0|no) (?:error|fail|exception)\w*|\b(?:error|fail)\w*:? 0\b/i
const linesBefore = 1
const linesAfter = 2

/**
 * At most `maxLines` lines of an output, and one line for each gap. Lines that report a failure are shown with the lines
 * around them, until the limit is reached. Without such lines, the beginning and the end are shown.
 */
export function outputExcerpt(text: string, maxLines: number): readonly string[] {
  const lines = text.replace(/\s+$/, '').split('\n')
  if (lines.length <= maxLines) return lines
  const failing = failingLines(lines, maxLines)
  const shown = failing.size > 0 ? failing : endsOf(lines, maxLines)
  return withGaps(lines, shown)
}

function failingLines(lines: readonly string[], maxLines: number): ReadonlySet<number> {
  const shown = new Set<number>()
  for (const [index, line] of lines.entries()) {
    if (!failure.test(line) || noFailure.test(line)) continue
    for (let at = Math.max(0, index - linesBefore); at <= Math.min(lines.length - 1, index + linesAfter); at += 1) {
      if (shown.size < maxLines) shown.add(at)
    }
  }
  return shown
}

function endsOf(lines: readonly string[], maxLines: number): ReadonlySet<number> {
  const head = Math.floor(maxLines / 3)
  const tail = lines.length - (maxLines - head)
  return new Set([...lines.keys()].filter((at) => at < head || at >= tail))
}

function withGaps(lines: readonly string[], shown: ReadonlySet<number>): readonly string[] {
  const excerpt: string[] = []
  let skipped = 0
  const addGap = () => {
    if (skipped > 0) excerpt.push(skipped === 1 ? '… 1 line' : `… ${skipped} lines`)
    skipped = 0
  }
  for (const [at, line] of lines.entries()) {
    if (!shown.has(at)) skipped += 1
    else {
      addGap()
      excerpt.push(line)
    }
  }
  addGap()
  return excerpt
}
