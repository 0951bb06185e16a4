// A result for the model, limited by its level and measured as sent.
import { cutText, ellipsize, type PrivacyLevel } from '@quarterdeck/protocol'
import type { Cell, Column, Rows } from '../domain/cells.ts'
import { cellLimit, disclosureOf } from '../domain/disclosure.ts'
import { type KnownNames, maskNames, withoutValues } from './mask-names.ts'

export interface ModelStepResult extends Rows {
  readonly stepId: number
  /** Of the whole result; `rows` may be its start. */
  readonly rowCount: number
  readonly elapsedMs: number
}

type SentCell = null | boolean | number | string

/** The documented shape; `rows` are data, whatever they contain. */
export interface SentResult {
  readonly stepId: number
  readonly rowCount: number
  readonly truncated: boolean
  readonly columns: readonly Column[]
  readonly rows: readonly Readonly<Record<string, SentCell>>[]
  readonly elapsedMs: number
  /** What was withheld, and why. */
  readonly note?: string
}

export interface Showing {
  readonly level: PrivacyLevel
  /** Below level 2: whether its rows are summaries or were allowed by the user. */
  readonly showsRows: boolean
  /** If rows are not shown, unknown column names are hidden as well. */
  readonly known: KnownNames
  readonly notes: readonly string[]
}

export interface Prepared {
  readonly payload: SentResult
  readonly rows: number
  readonly bytes: number
}

const withheldNote =
  'Rows are not shown at this privacy level. The step is stored: use it by its name, and group, count or summarise.'

const roundedNote = 'rowCount is rounded down to 1, 10, 100, … at this privacy level.'

/** A query can encode a cell in its row count, so without rows only the magnitude is sent. */
export function disclosedCount(rowCount: number, level: PrivacyLevel): number {
  if (disclosureOf(level).maxRows > 0 || rowCount < 1) return rowCount
  return 10 ** (String(rowCount).length - 1)
}

/** A query can also encode a cell in its duration: below level 2 it is one of 0.1, 1, 10, 100, … seconds. */
function disclosedTime(elapsedMs: number, level: PrivacyLevel): number {
  if (!disclosureOf(level).scrubsErrors) return Math.round(elapsedMs)
  return 10 ** Math.max(2, Math.ceil(Math.log10(Math.max(1, elapsedMs))))
}

export function resultForModel(result: ModelStepResult, showing: Showing): Prepared {
  const { maxRows, maxBytes, scrubsErrors } = disclosureOf(showing.level)
  const isOpen = maxRows > 0 && (showing.showsRows || !scrubsErrors)
  const columns = uniqueNames(isOpen ? result.columns : maskNames(result.columns, showing.known))
  const shown = fitColumns(columns, maxBytes / 2)
  const notes = [...showing.notes]
  if (!isOpen && result.rowCount > 0) notes.push(withheldNote)
  if (shown.length < columns.length) notes.push(`Only the first ${shown.length} of ${columns.length} columns are here.`)
  const candidates = isOpen ? result.rows.slice(0, maxRows).map((row) => asRecord(shown, row)) : []
  const rowCount = disclosedCount(result.rowCount, showing.level)
  if (rowCount !== result.rowCount) notes.push(roundedNote)
  const elapsedMs = disclosedTime(result.elapsedMs, showing.level)
  return fitRows({ ...result, rowCount, elapsedMs, columns: shown }, candidates, { notes, maxBytes })
}

/** Object keys must be unique, so column names are made unique. */
function uniqueNames(columns: readonly Column[]): readonly Column[] {
  const taken = new Set<string>()
  return columns.map((column) => {
    let name = column.name
    for (let n = 1; taken.has(name); n += 1) name = `${column.name}_${n}`
    taken.add(name)
    return { name, type: cutText(withoutValues(column.type), cellLimit) }
  })
}

function fitColumns(columns: readonly Column[], maxBytes: number): readonly Column[] {
  let bytesLeft = maxBytes
  const end = columns.findIndex((column) => {
    bytesLeft -= bytesOf(column) + 1
    return bytesLeft < 0
  })
  return end < 0 ? columns : columns.slice(0, end)
}

function asRecord(columns: readonly Column[], row: readonly Cell[]): Readonly<Record<string, SentCell>> {
  return Object.fromEntries(columns.map(({ name }, index) => [name, sentCell(row[index] ?? null)]))
}

export function sentCell(cell: Cell): SentCell {
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell.toString()
  if (typeof cell === 'number' && !Number.isFinite(cell)) return String(cell)
  return typeof cell === 'string' ? ellipsize(cell, cellLimit) : cell
}

type SentRow = SentResult['rows'][number]

function fitRows(
  result: ModelStepResult,
  candidates: readonly SentRow[],
  { notes, maxBytes }: { readonly notes: readonly string[]; readonly maxBytes: number },
): Prepared {
  const { stepId, rowCount, columns, elapsedMs } = result
  const build = (rows: readonly SentRow[]): SentResult => {
    const allNotes = rows.length < candidates.length ? [...notes, tooLarge(rows.length)] : notes
    const facts = { stepId, rowCount, truncated: rows.length < rowCount, columns, rows, elapsedMs }
    return allNotes.length === 0 ? facts : { ...facts, note: allNotes.join(' ') }
  }
  const rows: SentRow[] = []
  let bytesLeft = maxBytes - bytesOf(build([])) - 200
  for (const row of candidates) {
    bytesLeft -= bytesOf(row) + 1
    if (bytesLeft < 0) break
    rows.push(row)
  }
  const payload = build(rows)
  return { payload, rows: rows.length, bytes: bytesOf(payload) }
}

const tooLarge = (count: number): string =>
  count === 0
    ? 'A row is too large to send: select fewer columns.'
    : 'Only rows within the size limit are included: select fewer columns, or aggregate.'

export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length
