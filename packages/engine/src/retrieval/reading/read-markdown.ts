import { type DocumentBlock, longestParagraph } from './document.ts'

/** Headings, paragraphs, lists, fenced code and tables. Everything else is plain text. */
export function* readMarkdown(text: string): Generator<DocumentBlock> {
  const lines = text.split('\n')
  let at = frontMatterEnd(lines)
  while (at < lines.length) {
    if ((lines[at] ?? '').trim() === '') {
      at++
      continue
    }
    const { block, next } =
      readFence(lines, at) ?? readHeading(lines, at) ?? readTable(lines, at) ?? readText(lines, at)
    if (block !== null) yield block
    at = next
  }
}

interface Step {
  readonly block: DocumentBlock | null
  readonly next: number
}

function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---')
  return end === -1 ? 0 : end + 1
}

const fence = /^ {0,3}(`{3,}|~{3,})/

function readFence(lines: readonly string[], at: number): Step | null {
  const opening = fence.exec(lines[at] ?? '')?.[1]
  if (opening === undefined) return null
  const isClosing = (line: string) => {
    const marks = line.trim()
    return marks.startsWith(opening) && runBefore(marks, marks.length, opening[0]) === 0
  }
  let end = at + 1
  while (end < lines.length && !isClosing(lines[end] ?? '')) end++
  return { block: { type: 'code', text: lines.slice(at + 1, end).join('\n'), line: at + 1 }, next: end + 1 }
}

const atx = /^ {0,3}(#{1,6})(?=\s|$)(.*)/
const underline = /^ {0,3}(=+|-{2,})\s*$/

function readHeading(lines: readonly string[], at: number): Step | null {
  const line = lines[at] ?? ''
  const hashes = atx.exec(line)
  if (hashes !== null) return heading({ level: hashes[1]?.length ?? 1, text: hashes[2] ?? '', at }, at + 1)
  const under = underline.exec(lines[at + 1] ?? '')
  if (under === null || startsOther(line)) return null
  return heading({ level: under[1]?.startsWith('=') ? 1 : 2, text: line, at }, at + 2)
}

function heading({ level, text, at }: { level: number; text: string; at: number }, next: number): Step {
  const body = text.trim()
  const open = body.slice(0, runBefore(body, body.length, '#'))
  const plain = (open === '' || /\s$/.test(open) ? open : body).replaceAll(/[*_`]/g, '').trim()
  return { block: plain === '' ? null : { type: 'heading', level, text: plain, line: at + 1 }, next }
}

/** Where the run of this character that ends at `end` begins. A regular expression would retry from each character. */
function runBefore(text: string, end: number, char: string | undefined): number {
  let at = end
  while (at > 0 && text[at - 1] === char) at--
  return at
}

const separator = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/

function readTable(lines: readonly string[], at: number): Step | null {
  if (!isTableStart(lines, at)) return null
  let end = at + 2
  while ((lines[end] ?? '').includes('|')) end++
  const rows = lines.slice(at + 2, end).map(cells)
  return { block: { type: 'table', header: cells(lines[at] ?? ''), rows, line: at + 1 }, next: end }
}

const isTableStart = (lines: readonly string[], at: number): boolean =>
  (lines[at] ?? '').includes('|') && (lines[at + 1] ?? '').includes('|') && separator.test((lines[at + 1] ?? '').trim())

const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim())

function readText(lines: readonly string[], at: number): Step {
  let end = at + 1
  while (end < lines.length && end - at < longestParagraph && !endsText(lines, end)) end++
  const text = lines.slice(at, end).join('\n').trim()
  // Comments are for the file's editors.
  return { block: /^<!--.*-->$/s.test(text) ? null : { type: 'text', text, line: at + 1 }, next: end }
}

function endsText(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  return line.trim() === '' || startsOther(line) || underline.test(lines[at + 1] ?? '') || isTableStart(lines, at)
}

const startsOther = (line: string): boolean => line.trim() === '' || fence.test(line) || atx.test(line)
