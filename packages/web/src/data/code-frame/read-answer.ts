// Validates the code frame's answer, which is untrusted, before it counts as rows.
import { isRecord, parseJson } from '@quarterdeck/protocol'
import type { Cell, Column, Rows } from '../domain/cells.ts'
import { CodeFrameError, type CodeFrameLimits } from './code-frame.ts'

export function readAnswer(answer: unknown, limits: CodeFrameLimits): Rows {
  if (typeof answer === 'string' && answer.length > limits.bytesOut * 1.5) {
    throw new CodeFrameError('too-large', `the rows are larger than ${limits.bytesOut} bytes`)
  }
  const value = typeof answer === 'string' ? parseJson(answer) : answer
  if (!isRecord(value)) throw notRecords()
  if ('problem' in value) throw asError(value)
  const { names, rows } = value
  if (!isListOf(names, isText) || !isListOf(rows, isList)) throw notRecords()
  if (rows.length > limits.rowsOut)
    throw new CodeFrameError('too-large', `more than ${limits.rowsOut} rows are not supported`)
  return asRows(
    names,
    rows.map((row) => {
      if (row.length !== names.length) throw notRecords()
      return row.map(asCell)
    }),
  )
}

const notRecords = () => new CodeFrameError('invalid', 'the code returned no list of flat records')
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isListOf = <T>(value: unknown, isOne: (item: unknown) => item is T): value is readonly T[] =>
  isList(value) && value.every(isOne)

/** Integers beyond the safe range arrive as `{bigint: "…"}`. */
function asCell(value: unknown): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || isText(value)) return value
  if (isRecord(value) && isText(value.bigint) && /^-?\d{1,1000}$/.test(value.bigint)) return BigInt(value.bigint)
  throw notRecords()
}

function asError({ problem, message, line }: Readonly<Record<string, unknown>>): CodeFrameError {
  const at = Number.isSafeInteger(line) && Number(line) > 0 ? Number(line) : null
  const where = at === null ? '' : ` (line ${at} of the code)`
  const what = problem === 'invalid' || problem === 'too-large' ? problem : 'threw'
  return new CodeFrameError(what, `${String(message).slice(0, 2000)}${where}`, at)
}

function asRows(names: readonly string[], rows: readonly (readonly Cell[])[]): Rows {
  const unique = uniqueNames(names)
  const columns = unique.map((name, index) => ({ name, type: typeOf(rows, index) }))
  return { columns, rows: rows.map((row) => row.map((cell, index) => fitted(cell, columns[index]))) }
}

/** SQL ignores case: `City` equals `city`. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name, index) => {
    const wanted = name.trim() === '' ? `column_${index + 1}` : name
    let free = wanted
    for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${wanted}_${n}`
    taken.add(free.toLowerCase())
    return free
  })
}

const day = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?Z?$/
const largestBigint = 2n ** 63n

function typeOf(rows: readonly (readonly Cell[])[], index: number): string {
  const kinds = new Set<string>()
  for (const row of rows) {
    const cell = row[index]
    if (cell !== null && cell !== undefined) kinds.add(cellType(cell))
  }
  const has = (...types: readonly string[]) => [...kinds].every((kind) => types.includes(kind))
  if (kinds.size === 0) return 'VARCHAR'
  if (has('BOOLEAN')) return 'BOOLEAN'
  if (has('BIGINT')) return 'BIGINT'
  if (has('BIGINT', 'HUGEINT')) return 'HUGEINT'
  if (has('BIGINT', 'DOUBLE', 'HUGEINT')) return 'DOUBLE'
  if (has('DATE')) return 'DATE'
  return has('DATE', 'TIMESTAMP') ? 'TIMESTAMP' : 'VARCHAR'
}

function cellType(cell: Exclude<Cell, null>): string {
  if (typeof cell === 'boolean') return 'BOOLEAN'
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? 'BIGINT' : 'DOUBLE'
  if (typeof cell === 'bigint') return cell >= -largestBigint && cell < largestBigint ? 'BIGINT' : 'HUGEINT'
  if (day.test(cell) && isReal(cell)) return 'DATE'
  return moment.test(cell) && isReal(cell) ? 'TIMESTAMP' : 'VARCHAR'
}

/** February 30 looks like a date but does not exist. */
function isReal(text: string): boolean {
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10))) return false
  const [hours = '0', minutes = '0', seconds = '0'] = text.slice(11).split(':')
  return Number(hours) < 24 && Number(minutes) < 60 && Number.parseFloat(seconds) < 60
}

/** Converts the cells of a column to one type: numbers next to texts become text, and timestamps get one notation. */
function fitted(cell: Cell, column: Column | undefined): Cell {
  if (cell === null) return null
  switch (column?.type) {
    case 'VARCHAR':
      return String(cell)
    case 'DOUBLE':
      return Number(cell)
    case 'TIMESTAMP':
      return momentOf(String(cell))
    case 'BIGINT':
      return typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
    default:
      return cell
  }
}

const momentOf = (text: string): string =>
  text.length === 10 ? `${text}T00:00:00` : text.replace(' ', 'T').replace(/Z$/, '').replace(/\.0+$/, '')
