// Headings in text without markup: lines in capitals, underlined lines, numbered titles.
import { type DocumentBlock, longestParagraph } from './document.ts'

export function* readPlain(text: string): Generator<DocumentBlock> {
  let isFirstBlock = true
  let paragraph: { lines: string[]; line: number } | null = null
  function* endParagraph(): Generator<DocumentBlock> {
    const { lines, line } = paragraph ?? { lines: [], line: 0 }
    paragraph = null
    if (lines.length === 0) return
    isFirstBlock = false
    yield { type: 'text', text: lines.join('\n').trim(), line }
  }
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const isFirst = paragraph === null
    if (line.trim() === '') {
      yield* endParagraph()
      continue
    }
    const level = isFirst ? headingLevel(lines, at, isFirstBlock) : null
    if (level === null) {
      paragraph ??= { lines: [], line: at + 1 }
      paragraph.lines.push(line.trimEnd())
      if (paragraph.lines.length < longestParagraph) continue
      yield* endParagraph()
      // The paragraph continues: the next line is not a heading.
      paragraph = { lines: [], line: at + 2 }
      continue
    }
    isFirstBlock = false
    yield { type: 'heading', level, text: line.trim(), line: at + 1 }
    if (isUnderline(lines[at + 1])) at++
  }
  yield* endParagraph()
}

const longestHeading = 80

function headingLevel(lines: readonly string[], at: number, isTitle: boolean): number | null {
  const line = (lines[at] ?? '').trim()
  if (line.length > longestHeading) return null
  if (isUnderline(lines[at + 1])) return lines[at + 1]?.startsWith('=') ? 1 : 2
  if (isCapitals(line)) return isTitle ? 1 : 2
  const isAlone = (lines[at + 1] ?? '').trim() === ''
  const number = /^(?:(?:clause|section|article|part|chapter|§)\s+)?(\d+(?:\.\d+)*)[.):]?\s+\p{Lu}/iu.exec(line)?.[1]
  if (!isAlone || number === undefined || /[.;:,!?]$/.test(line)) return null
  return 2 + number.split('.').length
}

const isUnderline = (line: string | undefined): boolean => /^\s*(={3,}|-{3,})\s*$/.test(line ?? '')

const isCapitals = (line: string): boolean => /\p{Lu}{2}/u.test(line) && !/\p{Ll}/u.test(line) && !/[.;,]$/.test(line)
