// Detects the content of a CSV from its start and samples of the rest.
import type { ImportPlan, PlannedColumn } from '../../domain/import-plan.ts'
import { guessType } from '../columns/guess-type.ts'
import { columnNames, namingWarnings } from '../plan/column-names.ts'
import { guessedColumns } from '../plan/guessed-columns.ts'
import { personalRows } from '../plan/proposed-locks.ts'
import { stemOf } from '../plan/table-name.ts'
import { previewRows } from '../plan/table-preview.ts'
import { ImportError } from '../source/import-error.ts'
import { decodeText, detectEncoding } from '../source/text-encoding.ts'
import { csvRows } from './csv-rows.ts'
import { commonWidth, detectDelimiter, detectHeader, isProse } from './detect-csv-shape.ts'

/** Options chosen by the user; missing ones are detected. */
export type CsvChoices = Partial<Pick<ImportPlan, 'encoding' | 'delimiter' | 'hasHeader'>>

export type CsvPlan = Pick<ImportPlan, 'encoding' | 'delimiter' | 'hasHeader' | 'warnings'> & {
  readonly columns: readonly PlannedColumn[]
  readonly preview: ReturnType<typeof previewRows>
  readonly rowCount: number | null
}

/** Rows to detect types: of a small file, of the start of a large one, and of each sample. */
const maxSampledRows = { whole: 20_000, head: 10_000, piece: 1000 }

/** `samples`: the whole file, or the start and samples of a large one. */
export function planCsv(file: string, samples: readonly Uint8Array[], choices: CsvChoices = {}): CsvPlan {
  const encoding = choices.encoding ?? detectEncoding(samples)
  const [head = '', ...pieces] = samples.map((sample) => decodeText(sample, encoding))
  if (head.trim() === '') throw new ImportError('empty', `"${file}" is empty.`)
  if (!isText(head)) throw noText(file, choices)
  const delimiter = choices.delimiter ?? detectDelimiter(head.slice(0, 200_000))
  const isSampled = samples.length > 1
  const maxRows = isSampled ? maxSampledRows.head : maxSampledRows.whole
  // The last row of an incomplete sample may be cut: reads one more row and drops it.
  const { rows: begun, isOpen } = csvRows(head, { delimiter, maxRows: isSampled ? maxRows + 1 : maxRows })
  const rows = isSampled && begun.length > 1 ? begun.slice(0, -1) : begun
  if (rows.length === 0) throw brokenQuote(file)
  const hasHeader = choices.hasHeader ?? detectHeader(rows.slice(0, 500))
  const header = hasHeader ? (rows[0] ?? []) : []
  const width = hasHeader ? header.length : commonWidth(rows)
  const named = columnNames(Array.from({ length: width }, (_, index) => header[index] ?? ''))
  const body = rows.slice(hasHeader ? 1 : 0)
  const later = pieces.flatMap((piece) => rowsInside(piece, delimiter))
  const sampled = [...body, ...later].filter((row) => row.length === width)
  const isFresh = choices.delimiter === undefined && choices.hasHeader === undefined
  if (isFresh && !isSampled && isProse({ file, rows, width })) throw prose(file)
  const isWhole = !isSampled && !isOpen && rows.length < maxRows
  const valuesAt = (index: number) => sampled.map((row) => row[index] ?? '')
  const guesses = named.map((_, index) => guessType(valuesAt(index), isWhole ? 'all' : 'some'))
  const first = sampled.slice(0, personalRows)
  const { columns, remarks } = guessedColumns(named, guesses, (index) => first.map((row) => row[index] ?? ''))
  return {
    encoding,
    delimiter,
    hasHeader,
    columns,
    preview: previewRows(named, body),
    rowCount: isWhole ? body.length : null,
    warnings: [
      ...(hasHeader ? namingWarnings(named) : []),
      ...remarks,
      ...raggedWarning(body, width),
      ...(isOpen && !isSampled ? ['A quote is never closed: the text after it is rejected.'] : []),
    ],
  }
}

/** A sample starts and ends anywhere: drops its first line, and the last of the rows read. */
function rowsInside(piece: string, delimiter: string): readonly (readonly string[])[] {
  const start = piece.search(/[\r\n]/)
  return start < 0
    ? []
    : csvRows(piece.slice(start), { delimiter, maxRows: maxSampledRows.piece + 1 }).rows.slice(0, -1)
}

function raggedWarning(body: readonly (readonly string[])[], width: number): readonly string[] {
  const ragged = body.filter((row) => row.length !== width).length
  if (ragged === 0) return []
  const rows = ragged === 1 ? 'One of the checked rows has' : `${ragged} of the checked rows have`
  return [`${rows} more or fewer than ${width} ${width === 1 ? 'value' : 'values'}, and will be rejected.`]
}

/** Text has no zero byte in its first line, and few control characters. */
function isText(head: string): boolean {
  const start = head.slice(0, 4000)
  const line = start.split(/[\r\n]/, 1)[0] ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text files have few of them
  const controls = start.match(/[\0-\x08\x0e-\x1b\x7f]/g)?.length ?? 0
  return !line.includes('\0') && controls <= start.length / 50
}

const noText = (file: string, { encoding }: CsvChoices): ImportError =>
  new ImportError(
    'unreadable',
    encoding
      ? `"${file}" is not a text file in this encoding.`
      : `"${file}" is not a text file, and its format is not supported.`,
  )

const brokenQuote = (file: string): ImportError =>
  new ImportError('unreadable', `"${file}" cannot be read as rows: line 1 opens a quote that is never closed.`)

const prose = (file: string): ImportError =>
  new ImportError(
    'unsupported',
    `"${file}" looks like prose, not rows. If it is a table, rename it to "${stemOf(file)}.csv", or use "Paste a table" in Data.`,
  )
