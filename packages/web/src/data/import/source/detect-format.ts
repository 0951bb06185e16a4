// Detects the format of a file from its content. The name only decides between text formats.
import { parseJson } from '@quarterdeck/protocol'
import type { FileFormat } from '../../domain/imported-table.ts'
import { ImportError } from './import-error.ts'

/** `head`: the first bytes, at least a few hundred if available. */
export function detectFormat(head: Uint8Array, name: string): FileFormat {
  const binary = binaryFormat(head)
  if (binary !== null) return binary
  refuseForeign(head, name)
  return textFormat(firstCharacters(head), name)
}

const startsWith = (bytes: Uint8Array, magic: string): boolean =>
  bytes.length >= magic.length && [...magic].every((letter, index) => bytes[index] === letter.charCodeAt(0))

/** A file with such an extension is treated as a table. */
export const isTableName = (name: string): boolean => /\.(csv|tsv|tab)(\.gz)*$/i.test(name)

export const isGzip = (bytes: Uint8Array): boolean => startsWith(bytes, '\x1f\x8b\x08')

function binaryFormat(head: Uint8Array): FileFormat | null {
  if (startsWith(head, 'PAR1')) return 'parquet'
  if (startsWith(head, 'ARROW1')) return 'arrow'
  if (startsWith(head, 'SQLite format 3\0')) return 'sqlite'
  // A workbook is a zip archive; before 2007 it was a compound file.
  if (startsWith(head, 'PK\x03\x04') || startsWith(head, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return 'excel'
  // An Arrow stream starts with a continuation marker and the length of its first message.
  const length = head.length >= 8 ? new DataView(head.buffer, head.byteOffset).getInt32(4, true) : 0
  return startsWith(head, '\xff\xff\xff\xff') && length > 0 && length < 16_000_000 ? 'arrow' : null
}

const foreign = [
  ['%PDF', 'a PDF'],
  ['\x89PNG', 'an image'],
  ['\xff\xd8\xff', 'an image'],
  ['GIF8', 'an image'],
  ['BZh', 'compressed with bzip2. Unpack it first'],
  ['7z\xbc\xaf', 'a 7z archive. Unpack it first'],
  ['\x28\xb5\x2f\xfd', 'compressed with zstd. Unpack it first'],
  ['\xfd7zXZ', 'compressed with xz. Unpack it first'],
  ['Obj\x01', 'an Avro file. Save it as Parquet or CSV'],
  ['FEA1', 'an old Feather file. Save it as Parquet or CSV'],
  ['ORC', 'an ORC file. Save it as Parquet or CSV'],
] as const

function refuseForeign(head: Uint8Array, name: string): void {
  const found = foreign.find(([magic]) => startsWith(head, magic))
  if (found === undefined || (found[0] === 'ORC' && /[\s,;]/.test(firstCharacters(head).slice(3, 5)))) return
  throw new ImportError('unsupported', `"${name}" is not a table but ${found[1]}.`)
}

/** Enough to find a bracket: UTF-16 has a zero byte next to each ASCII character. */
function firstCharacters(head: Uint8Array): string {
  const bytes = head.subarray(0, 4000).filter((byte) => byte !== 0)
  return new TextDecoder('windows-1252').decode(bytes).replace(/^(ï»¿|ÿþ|þÿ)/, '')
}

function textFormat(text: string, name: string): FileFormat {
  const trimmed = text.trimStart()
  if (isTableName(name)) return 'csv'
  const extension = /\.([a-z0-9]+)(\.gz)*$/i.exec(name)?.[1]?.toLowerCase()
  const isLines = extension === 'ndjson' || extension === 'jsonl'
  if (trimmed.startsWith('[')) return isLines ? 'ndjson' : 'json'
  if (!trimmed.startsWith('{')) return extension === 'json' ? 'json' : isLines ? 'ndjson' : 'csv'
  return isLines || isObjectPerLine(trimmed) ? 'ndjson' : 'json'
}

/** A line that is a complete object, followed by another object. */
function isObjectPerLine(text: string): boolean {
  const end = text.search(/[\r\n]/)
  if (end < 0) return false
  // The first line of a multi-line object is not valid JSON.
  if (parseJson(text.slice(0, end)) === undefined) return false
  return text.slice(end).trimStart().startsWith('{')
}
