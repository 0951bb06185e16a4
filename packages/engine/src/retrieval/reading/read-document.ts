import { extname } from 'node:path'
import { type Block, longestParagraph, type RecordBlock } from './document.ts'
import { type CsvRow, parseCsv } from './parse-csv.ts'
import { readHtml } from './read-html.ts'
import { parseJsonLines, readJson } from './read-json.ts'
import { readMarkdown } from './read-markdown.ts'
import { type RecordShape, recordOfRow, recordsOfJson } from './read-records.ts'
import { type YieldPoint, yieldPoint } from './yield-point.ts'

type Reader = (text: string, shape: RecordShape | null) => Iterable<Block | YieldPoint>

const readers: Readonly<Record<string, Reader>> = {
  '.txt': readPlain,
  '.md': readMarkdown,
  '.markdown': readMarkdown,
  '.html': readHtml,
  '.htm': readHtml,
  '.csv': readCsv,
  '.tsv': readCsv,
  '.json': (text, shape) => {
    const value: unknown = JSON.parse(text)
    return shape === null ? readJson(value) : recordsOfJson(value, shape)
  },
  '.jsonl': readJsonLines,
}

export const readableTypes: readonly string[] = Object.keys(readers)

const dataTypes = new Set(['.csv', '.tsv', '.json', '.jsonl'])

export const isReadable = (path: string): boolean => extname(path).toLowerCase() in readers

/** Throws, immediately or while reading, with a message that continues the file's name. */
export function readDocument(path: string, bytes: Uint8Array, shape: RecordShape | null): Iterable<Block | YieldPoint> {
  const type = extname(path).toLowerCase()
  const reader = readers[type]
  if (reader === undefined)
    throw new Error(`cannot be read: ${type || 'a file without an extension'} is not supportedted`)
  if (shape !== null && !dataTypes.has(type)) {
    throw new Error('has no records: vector_field is for .csv, .tsv, .json and .jsonl files')
  }
  const text = decodeText(bytes)
  if (text === null) throw new Error('is not text')
  if (text.trim() === '') return []
  return reader(text, shape)
}

function* readCsv(text: string, shape: RecordShape | null): Generator<Block | YieldPoint> {
  for (const row of parseCsv(text, shape?.delimiter ?? null)) {
    if (row === yieldPoint) yield yieldPoint
    else yield shape === null ? textOfRow(row) : recordOfRow(row, shape)
  }
}

const textOfRow = ({ header, cells, number }: CsvRow): RecordBlock => ({
  type: 'record',
  text: cells.flatMap((cell, index) => (cell === '' ? [] : [`${header[index] ?? ''}: ${cell}`])).join('\n'),
  details: {},
  row: `row ${number}`,
})

const linesBetweenPauses = 1000

function* readJsonLines(text: string, shape: RecordShape | null): Generator<Block | YieldPoint> {
  const values: unknown[] = []
  for (const value of parseJsonLines(text)) {
    if (values.push(value) % linesBetweenPauses === 0) yield yieldPoint
  }
  yield* shape === null ? readJson(values) : recordsOfJson(values, shape)
}

// Decodes bytes: by a byte order mark; otherwise as UTF-8, then as UTF-16 if it looks like it, then as Windows-1252.

/** `null` if the bytes are not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const text = decode(bytes)
  if (text === null || text.includes('\0')) return null
  return text.replaceAll(/\r\n?/g, '\n')
}

function decode(bytes: Uint8Array): string | null {
  const marked = markedEncoding(bytes)
  if (marked !== null) return new TextDecoder(marked).decode(bytes)
  const wide = wideEncoding(bytes)
  if (wide !== null) return new TextDecoder(wide).decode(bytes)
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: files of older programs, in which every byte is a character.
    return decodeWindows(bytes)
  }
}

/** Where Windows-1252 differs from Latin-1, from 0x80 on. Node 20 decodes both as Latin-1. */
const windowsOnly = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const decodeWindows = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (char) => windowsOnly[char.charCodeAt(0) - 0x80] ?? char)

function markedEncoding([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return null
}

/** UTF-16 without a mark: in Western text every other byte is zero. */
function wideEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 1000)
  if (sample.length < 4 || bytes.length % 2 !== 0) return null
  let even = 0
  let odd = 0
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue
    if (index % 2 === 0) even++
    else odd++
  }
  const half = sample.length / 2
  if (odd > half * 0.7 && even < half * 0.1) return 'utf-16le'
  if (even > half * 0.7 && odd < half * 0.1) return 'utf-16be'
  return null
}

// Headings in text without markup: lines in capitals, underlined lines, numbered titles.
function* readPlain(text: string): Generator<Block> {
  let isFirstBlock = true
  let paragraph: { lines: string[]; line: number } | null = null
  function* endParagraph(): Generator<Block> {
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
