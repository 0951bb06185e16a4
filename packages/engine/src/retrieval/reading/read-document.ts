import { extname } from 'node:path'
import { decodeText } from './decode-text.ts'
import type { Block } from './document.ts'
import { parseCsv } from './parse-csv.ts'
import { readHtml } from './read-html.ts'
import { parseJsonLines, readJson } from './read-json.ts'
import { readMarkdown } from './read-markdown.ts'
import { readPlain } from './read-plain.ts'
import { type RecordShape, recordsOfJson, recordsOfTable } from './read-records.ts'

type Reader = (text: string, shape: RecordShape | null) => Block[]

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
  '.jsonl': (text, shape) => {
    const values = parseJsonLines(text)
    return shape === null ? readJson(values) : recordsOfJson(values, shape)
  },
}

export const readableTypes: readonly string[] = Object.keys(readers)

const dataTypes = new Set(['.csv', '.tsv', '.json', '.jsonl'])

export const isReadable = (path: string): boolean => extname(path).toLowerCase() in readers

/** Throws with what is wrong with it, in words that follow the file's name. */
export function readDocument(path: string, bytes: Uint8Array, shape: RecordShape | null): Block[] {
  const type = extname(path).toLowerCase()
  const reader = readers[type]
  if (reader === undefined) throw new Error(`cannot be read: ${type || 'a file without an ending'} is not supported`)
  if (shape !== null && !dataTypes.has(type)) {
    throw new Error('has no records: vector_field is for .csv, .tsv, .json and .jsonl files')
  }
  const text = decodeText(bytes)
  if (text === null) throw new Error('is not text')
  if (text.trim() === '') return []
  return reader(text, shape)
}

function readCsv(text: string, shape: RecordShape | null): Block[] {
  const table = parseCsv(text, shape?.delimiter ?? null)
  if (shape !== null) return recordsOfTable(table, shape)
  return table.rows.map(({ cells, number }) => ({
    type: 'record',
    text: cells.flatMap((cell, index) => (cell === '' ? [] : [`${table.header[index] ?? ''}: ${cell}`])).join('\n'),
    details: {},
    row: `row ${number}`,
  }))
}
