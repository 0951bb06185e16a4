// Finds numbered clauses in running text: `4.2 Invoices are due …` starts a new part.

export interface ClausePart {
  /** `4.2`, or `(a)`; `null` for the text before the first clause. */
  readonly number: string | null
  /** 1 for `4`, 2 for `4.2`; a lettered item is one level below its clause. */
  readonly depth: number
  readonly text: string
  /** Line offset from the start of the text. */
  readonly lineOffset: number
}

const dotted = /^(?:(?:clause|section|article|§)\s*)?(\d+(?:\.\d+)+)\.?\s+["“(\p{Lu}]/iu
const startsWithCapital = /^(?:(?:clause|section|article|§)\s*)?\d+(?:\.\d+)+\.?\s+["“(]?\p{Lu}/u
const lettered = /^\(([a-z]|[ivx]+|\d+)\)\s+\S/

/**
 * Splits only where a sentence has ended: a line that happens to begin with `2.5` is not a clause. Lettered items start
 * a part only if a depth is configured: alone they are rarely meaningful.
 */
export function findClauses(text: string, maxDepth: number | null): ClausePart[] {
  const parts: { number: string | null; depth: number; lines: string[]; lineOffset: number }[] = []
  let previous = ''
  let dottedDepth = 0
  for (const [index, line] of text.split('\n').entries()) {
    const clause = previous === '' || /[.;:!?)]$/.test(previous) ? clauseAt(line.trim(), dottedDepth) : null
    const opens = clause !== null && (maxDepth === null ? !clause.isLettered : clause.depth <= maxDepth)
    if (opens) parts.push({ number: clause.number, depth: clause.depth, lines: [line], lineOffset: index })
    else if (parts.length === 0) parts.push({ number: null, depth: 0, lines: [line], lineOffset: index })
    else parts.at(-1)?.lines.push(line)
    if (clause !== null && !clause.isLettered) dottedDepth = clause.depth
    previous = line.trim()
  }
  return parts
    .map(({ lines, ...part }) => ({ ...part, text: lines.join('\n').trim() }))
    .filter(({ text }) => text !== '')
}

function clauseAt(line: string, dottedDepth: number): { number: string; depth: number; isLettered: boolean } | null {
  const number = startsWithCapital.test(line) ? dotted.exec(line)?.[1] : undefined
  if (number !== undefined) return { number, depth: number.split('.').length, isLettered: false }
  const letter = lettered.exec(line)?.[1]
  return letter === undefined ? null : { number: `(${letter})`, depth: dottedDepth + 1, isLettered: true }
}

/** The number at the start of a heading or clause: `4.2` of `4.2 Changes`, `7` of `7. Warranty` and of `Article 7`. */
export const clauseNumber = (heading: string): string | null =>
  /^(?:(?:clause|section|article|part|chapter|annex|appendix|§)\s*)?(\d+(?:\.\d+)*|\([a-z0-9]+\))(?=[\s.:)]|$)/i.exec(
    heading,
  )?.[1] ?? null
