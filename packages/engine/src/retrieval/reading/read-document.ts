import { extname } from 'node:path'
import { decodeText } from './decode-text.ts'
import type { DocumentBlock, RecordBlock } from './document.ts'
import { type CsvRow, parseCsv } from './parse-csv.ts'
import { readHtml } from './read-html.ts'
import { parseJsonLines, readJson } from './read-json.ts'
import { readMarkdown } from './read-markdown.ts'
import { readPlain } from './read-plain.ts'
import { type RecordShape, recordOfRow, recordsOfJson } from './read-records.ts'
import { type YieldPoint, yieldPoint } from './yield-point.ts'

type Reader = (text: string, shape: RecordShape | null) => Iterable<DocumentBlock | YieldPoint>

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
export function readDocument(
  path: string,
  bytes: Uint8Array,
  shape: RecordShape | null,
): Iterable<DocumentBlock | YieldPoint> {
  const type = extname(path).toLowerCase()
  const reader = readers[type]
  if (reader === undefined) throw new Error(`cannot be read: ${type || 'a file without an extension'} is not supported`)
  if (shape !== null && !dataTypes.has(type)) {
    throw new Error('has no records: vector_field is for .csv, .tsv, .json and .jsonl files')
  }
  const text = decodeText(bytes)
  if (text === null) throw new Error('is not text')
  if (text.trim() === '') return []
  return reader(text, shape)
}

function* readCsv(text: string, shape: RecordShape | null): Generator<DocumentBlock | YieldPoint> {
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

function* readJsonLines(text: string, shape: RecordShape | null): Generator<DocumentBlock | YieldPoint> {
  const values: unknown[] = []
  for (const value of parseJsonLines(text)) {
    if (values.push(value) % linesBetweenPauses === 0) yield yieldPoint
  }
  yield* shape === null ? readJson(values) : recordsOfJson(values, shape)
}
