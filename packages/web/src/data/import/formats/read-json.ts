// Reads JSON and NDJSON as tables: rows are objects, lists or single values of one list, or of several lists under
// keys.
import { ImportError } from '../source/import-error.ts'
import { createJsonScanner, type JsonScanner } from './json-scanner.ts'
import { createRawColumns, type RawTable } from './raw-table.ts'

/** A list is one table. An object that contains lists of objects is several tables; any other object is one row. */
export function readJson(text: string, file: string): readonly RawTable[] {
  const scanner = createJsonScanner(text, file)
  if (scanner.peek() === '') throw new ImportError('empty', `"${file}" is empty.`)
  const tables =
    scanner.peek() === '{' ? readObject(scanner, { text, file }) : [readList(scanner, { text, file, part: null })]
  if (scanner.peek() !== '') scanner.fail('the end of the file')
  if (tables.some(({ columns }) => columns.length > 0)) return tables
  throw new ImportError('empty', `"${file}" has no rows: the list is empty.`)
}

export function readNdjson(text: string, file: string): RawTable {
  const scanner = createJsonScanner(text, file)
  const table = createRows(scanner, file)
  while (scanner.peek() !== '') table.read()
  if (table.starts.length === 0) throw new ImportError('empty', `"${file}" is empty.`)
  return { part: null, ...table.finish(text) }
}

interface JsonContext {
  readonly text: string
  readonly file: string
  readonly part: string | null
}

function readList(scanner: JsonScanner, { text, file, part }: JsonContext): RawTable {
  const table = createRows(scanner, file)
  if (scanner.peek() !== '[') scanner.fail('a list or an object')
  scanner.take('[')
  while (scanner.peek() !== ']') {
    table.read()
    if (scanner.peek() !== ']') scanner.take(',')
  }
  scanner.take(']')
  return { part, ...table.finish(text) }
}

function readObject(scanner: JsonScanner, context: Omit<JsonContext, 'part'>): readonly RawTable[] {
  const tables: RawTable[] = []
  const single = createRawColumns(context.file)
  readPairs(scanner, (key) => {
    if (scanner.peek() === '[' && scanner.peekSecond() === '{')
      tables.push(readList(scanner, { ...context, part: key }))
    else single.set(key, scanner.cell())
  })
  single.endRow()
  return tables.length > 0 ? tables : [{ part: null, columns: single.finish(), rowCount: 1, lineOf: () => 1 }]
}

function readPairs(scanner: JsonScanner, onKey: (key: string) => void): void {
  scanner.take('{')
  while (scanner.peek() !== '}') {
    const key = scanner.string()
    scanner.take(':')
    onKey(key)
    if (scanner.peek() !== '}') scanner.take(',')
  }
  scanner.take('}')
}

function createRows(scanner: JsonScanner, file: string) {
  const columns = createRawColumns(file)
  const starts: number[] = []
  const setKey = (key: string) => columns.set(key, scanner.cell())
  return {
    starts,
    read() {
      const letter = scanner.peek()
      starts.push(scanner.at())
      if (letter === '{') readPairs(scanner, setKey)
      else if (letter === '[') readValues(scanner, columns.set)
      else columns.set('value', scanner.cell())
      columns.endRow()
    },
    finish: (text: string): Omit<RawTable, 'part'> => ({
      columns: columns.finish(),
      rowCount: columns.rowCount(),
      lineOf: lineFinder(text, starts),
    }),
  }
}

/** A row as a list: its values have positions, not names. */
function readValues(scanner: JsonScanner, set: ReturnType<typeof createRawColumns>['set']): void {
  scanner.take('[')
  for (let column = 1; scanner.peek() !== ']'; column += 1) {
    set(`column_${column}`, scanner.cell())
    if (scanner.peek() !== ']') scanner.take(',')
  }
  scanner.take(']')
}

/** Lines are counted once, and only if a row was rejected. */
function lineFinder(text: string, starts: readonly number[]): (row: number) => number {
  let lines: number[] | null = null
  return (row) => {
    lines ??= countLines(text, starts)
    return lines[row] ?? 1
  }
}

function countLines(text: string, starts: readonly number[]): number[] {
  let line = 1
  let next = text.indexOf('\n')
  return starts.map((start) => {
    while (next >= 0 && next < start) {
      line += 1
      next = text.indexOf('\n', next + 1)
    }
    return line
  })
}
