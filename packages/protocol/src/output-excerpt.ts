// The part of a long output that is worth reading first.

const telling =
  /\b(?:\w*error|fail(?:ed|ure|ures|ing|s)?|assert\w*|\w*exception|traceback|panic(?:ked)?|fatal|denied|not ok|cannot|undefined)\b|[✗✘✖×❌]/i
const harmless = /\b(?:0|no) (?:error|fail|exception)\w*|\b(?:error|fail)\w*:? 0\b/i
const before = 1
const after = 2

/**
 * At most `most` lines of an output, and a line for each gap. Lines that speak of a failure come with their
 * surroundings, the first ones first; without any, the beginning and the end are shown.
 */
export function outputExcerpt(text: string, most: number): readonly string[] {
  const lines = text.replace(/\s+$/, '').split('\n')
  if (lines.length <= most) return lines
  const failing = failingLines(lines, most)
  const shown = failing.size > 0 ? failing : endsOf(lines, most)
  return withGaps(lines, shown)
}

function failingLines(lines: readonly string[], most: number): ReadonlySet<number> {
  const shown = new Set<number>()
  for (const [index, line] of lines.entries()) {
    if (!telling.test(line) || harmless.test(line)) continue
    for (let at = Math.max(0, index - before); at <= Math.min(lines.length - 1, index + after); at += 1) {
      if (shown.size < most) shown.add(at)
    }
  }
  return shown
}

function endsOf(lines: readonly string[], most: number): ReadonlySet<number> {
  const head = Math.floor(most / 3)
  const tail = lines.length - (most - head)
  return new Set([...lines.keys()].filter((at) => at < head || at >= tail))
}

function withGaps(lines: readonly string[], shown: ReadonlySet<number>): readonly string[] {
  const told: string[] = []
  let left = 0
  const tellGap = () => {
    if (left > 0) told.push(left === 1 ? '… 1 line' : `… ${left} lines`)
    left = 0
  }
  for (const [at, line] of lines.entries()) {
    if (!shown.has(at)) left += 1
    else {
      tellGap()
      told.push(line)
    }
  }
  tellGap()
  return told
}
