// What a CSV seems to hold, from its beginning and pieces of the rest.
import type { ImportPlan, PlannedColumn } from '../../domain/import-plan.ts'
import { guessType } from '../columns/guess-type.ts'
import { columnNames, namingWarnings } from '../plan/column-names.ts'
import { personalRows, proposedLocks } from '../plan/proposed-locks.ts'
import { stemOf } from '../plan/table-name.ts'
import { previewRows } from '../plan/table-preview.ts'
import { ImportError } from '../source/import-error.ts'
import { decodeText, detectEncoding } from '../source/text-encoding.ts'
import { csvRows } from './csv-rows.ts'
import { commonWidth, detectDelimiter, detectHeader } from './csv-shape.ts'
import { isProse } from './is-prose.ts'

/** What a person said about it; the rest is found by looking. */
export type CsvChoices = Partial<Pick<ImportPlan, 'encoding' | 'delimiter' | 'hasHeader'>>

export type CsvPlan = Pick<ImportPlan, 'encoding' | 'delimiter' | 'hasHeader' | 'warnings'> & {
  readonly columns: readonly PlannedColumn[]
  readonly preview: ReturnType<typeof previewRows>
  readonly rowCount: number | null
}

/** Of a small file, of the beginning of a large one, and of each piece of its rest: rows enough to tell types by. */
const rowsLookedAt = { whole: 20_000, head: 10_000, piece: 1000 }

/** `samples`: the whole of it, or where it is large its beginning and pieces of the rest. */
export function planCsv(file: string, samples: readonly Uint8Array[], choices: CsvChoices = {}): CsvPlan {
  const encoding = choices.encoding ?? detectEncoding(samples)
  const [head = '', ...pieces] = samples.map((sample) => decodeText(sample, encoding))
  if (head.trim() === '') throw new ImportError('empty', `"${file}" is empty: there is nothing to read in it.`)
  if (!isText(head)) throw noText(file, choices)
  const delimiter = choices.delimiter ?? detectDelimiter(head.slice(0, 200_000))
  const isSampled = samples.length > 1
  const maxRows = isSampled ? rowsLookedAt.head : rowsLookedAt.whole
  // Where only the beginning is looked at its last row may be cut: one more is read, and dropped.
  const { rows: begun, isOpen } = csvRows(head, { delimiter, maxRows: isSampled ? maxRows + 1 : maxRows })
  const rows = isSampled && begun.length > 1 ? begun.slice(0, -1) : begun
  if (rows.length === 0) throw brokenQuote(file)
  const hasHeader = choices.hasHeader ?? detectHeader(rows.slice(0, 500))
  const header = hasHeader ? (rows[0] ?? []) : []
  const width = hasHeader ? header.length : commonWidth(rows)
  const named = columnNames(Array.from({ length: width }, (_, index) => header[index] ?? ''))
  const body = rows.slice(hasHeader ? 1 : 0)
  const later = pieces.flatMap((piece) => rowsInside(piece, delimiter))
  const looked = [...body, ...later].filter((row) => row.length === width)
  const isFresh = choices.delimiter === undefined && choices.hasHeader === undefined
  if (isFresh && !isSampled && isProse({ file, rows, width })) throw prose(file)
  const isWhole = !isSampled && !isOpen && rows.length < maxRows
  const valuesAt = (index: number) => looked.map((row) => row[index] ?? '')
  const guessed = named.map((column, index) => ({
    column,
    guess: guessType(valuesAt(index), isWhole ? 'all' : 'some'),
  }))
  const first = looked.slice(0, personalRows)
  const locks = proposedLocks(named, (index) => first.map((row) => row[index] ?? ''))
  return {
    encoding,
    delimiter,
    hasHeader,
    columns: guessed.map(({ column, guess: { type, reading } }, index) => ({
      ...column,
      type,
      ...locks[index],
      ...(reading && { reading }),
    })),
    preview: previewRows(named, body),
    rowCount: isWhole ? body.length : null,
    warnings: [
      ...(hasHeader ? namingWarnings(named) : []),
      ...guessed.flatMap(({ column, guess: { remark } }) =>
        remark === undefined ? [] : [`"${column.name}" ${remark}.`],
      ),
      ...raggedWarning(body, width),
      ...(isOpen && !isSampled ? ['A quote in it is never closed: what follows it is rejected.'] : []),
    ],
  }
}

/** A piece begins and ends anywhere: its first line is no row, and of the rows read, one too many, the last is dropped. */
function rowsInside(piece: string, delimiter: string): readonly (readonly string[])[] {
  const start = piece.search(/[\r\n]/)
  return start < 0 ? [] : csvRows(piece.slice(start), { delimiter, maxRows: rowsLookedAt.piece + 1 }).rows.slice(0, -1)
}

function raggedWarning(body: readonly (readonly string[])[], width: number): readonly string[] {
  const ragged = body.filter((row) => row.length !== width).length
  if (ragged === 0) return []
  const rows = ragged === 1 ? 'One of the rows looked at has' : `${ragged} of the rows looked at have`
  return [`${rows} more or fewer than ${width} ${width === 1 ? 'value' : 'values'}, and will be rejected.`]
}

/** Text has no zero in its first line, and hardly a control character anywhere. */
function isText(head: string): boolean {
  const looked = head.slice(0, 4000)
  const line = looked.split(/[\r\n]/, 1)[0] ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const controls = looked.match(/[\0-\x08\x0e-\x1b\x7f]/g)?.length ?? 0
  return !line.includes('\0') && controls <= looked.length / 50
}

const noText = (file: string, { encoding }: CsvChoices): ImportError =>
  new ImportError(
    'unreadable',
    encoding
      ? `"${file}" is not a text file in this encoding.`
      : `"${file}" is not a text file, and no kind of file that can be read here.`,
  )

const brokenQuote = (file: string): ImportError =>
  new ImportError('unreadable', `"${file}" cannot be read as rows: line 1 opens a quote that is never closed.`)

const prose = (file: string): ImportError =>
  new ImportError(
    'unsupported',
    `"${file}" looks like sentences, not rows. If it is a table, name it "${stemOf(file)}.csv", or use "Paste a table" in Data.`,
  )
