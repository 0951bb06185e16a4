import { beforeAll, describe, expect, it } from 'vitest'
import type { ColumnReading, ImportPlan } from '../../domain/import-plan.ts'
import { type NodeDuckDb, openNodeDuckDb } from '../../engine/node-duckdb.fixture.ts'
import { typedCell } from '../columns/as-type.ts'
import { readText } from '../columns/read-text.ts'
import { planCsv } from '../csv/plan-csv.ts'
import { prepareCsv } from '../csv/prepare-csv.ts'
import { checkBytes } from './check-bytes.ts'

const preferred = { dates: 'day-first', decimals: 'point' } as const
const noWasm = () => Promise.reject(new Error('no other format here'))

interface Chosen {
  readonly type: string
  readonly reading?: ColumnReading
}

const planFor = (format: ImportPlan['format'], chosen: Readonly<Record<string, Chosen>>): ImportPlan => ({
  file: 'a',
  sizeBytes: 1,
  format,
  encoding: 'utf-8',
  delimiter: ',',
  hasHeader: true,
  warnings: [],
  tables: [
    {
      part: null,
      isChosen: true,
      name: 'a',
      preview: { columns: [], rows: [] },
      rowCount: null,
      columns: Object.entries(chosen).map(([name, column]) => ({ sourceName: name, name, ...column })),
    },
  ],
})

const check = async (text: string, chosen: Readonly<Record<string, Chosen>>, format: ImportPlan['format'] = 'csv') => {
  const pieces = [new TextEncoder().encode(text)]
  const { tables, isWhole } = await checkBytes({ pieces, plan: planFor(format, chosen), preferred }, noWasm)
  expect(isWhole).toBe(true)
  return tables[0]
}

describe('checkBytes', () => {
  const words = `word,n\n${'some,1\n'.repeat(38)}`

  it('counts the values that do not fit the chosen type, with examples, and the rejected rows', async () => {
    expect(await check(words, { word: { type: 'DATE' }, n: { type: 'BIGINT' } })).toEqual({
      rows: 38,
      rejectedRows: 38,
      wrongWidth: 0,
      columns: [
        { values: 38, misfits: 38, examples: ['some'] },
        { values: 38, misfits: 0, examples: [] },
      ],
    })
    expect(await check(words, { word: { type: 'VARCHAR' }, n: { type: 'BIGINT' } })).toMatchObject({ rejectedRows: 0 })
  })

  it('counts a row with several misfits once, and counts rows of a different width', async () => {
    const text = 'a,b\nx,y\n1,2\n3\n"4","5"\r\n\n6,z\n'
    expect(await check(text, { a: { type: 'BIGINT' }, b: { type: 'BIGINT' } })).toMatchObject({
      rows: 5,
      rejectedRows: 3,
      wrongWidth: 1,
      columns: [
        { values: 5, misfits: 1, examples: ['x'] },
        { values: 4, misfits: 2, examples: ['y', 'z'] },
      ],
    })
  })

  it('rejects no row when misfits are imported as empty', async () => {
    const column = { type: 'BIGINT', reading: { misfits: 'empty' } } as const
    const text = 'a,b\nx,1\n2,2\n'
    const found = await check(text, { a: column, b: { type: 'BIGINT' } })
    expect(found).toMatchObject({ rows: 2, rejectedRows: 0, columns: [{ misfits: 1, examples: ['x'] }, {}] })
    const bytes = new TextEncoder().encode(text)
    const ready = prepareCsv({ bytes, delimiter: ',', hasHeader: true, columns: [column, { type: 'BIGINT' }] })
    expect(new TextDecoder().decode(ready)).toBe('a,b\n,1\n2,2\n')
  })

  it('finds the date order and decimal mark that most values fit, and keeps a chosen one', async () => {
    const readingOf = async (text: string, chosen: Chosen) => (await check(`a\n${text}\n`, { a: chosen }))?.columns[0]
    expect(await readingOf('03/04/2026\n12/31/2026', { type: 'DATE' })).toMatchObject({
      misfits: 0,
      reading: { dates: 'month-first' },
    })
    expect(await readingOf('03/04/2026', { type: 'DATE' })).toMatchObject({ reading: { dates: 'day-first' } })
    const chosen = { type: 'DATE', reading: { dates: 'month-first' } } as const
    expect(await readingOf('03/04/2026\n31/12/2026', chosen)).toMatchObject({ misfits: 1, reading: chosen.reading })
    expect(await readingOf('"1.234,5"\n"7,25"', { type: 'DOUBLE' })).toMatchObject({
      misfits: 0,
      reading: { decimals: 'comma' },
    })
    expect(await readingOf('"1,234"', { type: 'BIGINT' })).toMatchObject({ misfits: 0, reading: { decimals: 'point' } })
    expect(await readingOf('12.5 %\n3 %', { type: 'DOUBLE' })).toMatchObject({ misfits: 0, reading: { percent: true } })
  })

  it('checks only whole lines of a sampled file', async () => {
    const pieces = ['a,b\n1,2\n3,x\n4', '9\n5,6\n7,y\n8,'].map((text) => new TextEncoder().encode(text))
    const plan = planFor('csv', { a: { type: 'BIGINT' }, b: { type: 'BIGINT' } })
    const { isWhole, tables } = await checkBytes({ pieces, plan, preferred }, noWasm)
    expect(isWhole).toBe(false)
    expect(tables[0]).toMatchObject({ rows: 4, rejectedRows: 2, wrongWidth: 0 })
  })

  it('checks values of JSON', async () => {
    const text = JSON.stringify([{ a: '3 April 1996' }, { a: 'soon' }, { a: null }])
    expect(await check(text, { a: { type: 'DATE' } }, 'json')).toEqual({
      rows: 3,
      rejectedRows: 1,
      wrongWidth: 0,
      columns: [{ values: 2, misfits: 1, examples: ['soon'] }],
    })
  })
})

describe('typedCell and DuckDB accept the same values', () => {
  let duck: NodeDuckDb
  beforeAll(async () => {
    duck = await openNodeDuckDb('tables_of_this_test')
  })

  const numbers = ['1', '-2', '+3', '5.0', '1.5', '1e3', '.5', '1,234', '1,234.5', '12 %', '99999999999999999999']
  const words = ['inf', 'nan', 'x', '', ' 7 ', 'true', 'No', 'y', 't', '2', 'yes']
  const numericDates = ['2026-01-31', '2026-1-5', '2026/01/31', '2026-02-30', '31.12.2026', '1996-04', '1996-13']
  const namedDates = ['3 April 1996', 'Apr 1996', 'April 3rd, 1996', '03-Apr-1996', '31 February 2024']
  const timestamps = ['2026-01-31 10:00', '2026-01-31T10:00:00Z', '2026-01-31 9:05', '2026-01-31 25:00']
  const otherTimestamps = ['2026-01-31 00:00:00', '2026-01-31T10:00:00+02:00', '3 April 1996 9:05']
  const times = ['10:30', '9:05:00.250', '25:00', '10:30 PM']
  const values = [numbers, words, numericDates, namedDates, timestamps, otherTimestamps, times].flat()

  it.each(['BIGINT', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'TIME'])('%s', (type) => {
    const reading = { dates: 'day-first', decimals: 'point', percent: true } as const
    // DuckDB accepts `inf` as a date; the import does not.
    const compared = values.filter((value) => value !== 'inf' || !/DATE|TIMESTAMP/.test(type))
    const different = compared.filter((value) => {
      const text = readText(value, type, reading)
      const [row] = text === null ? [] : duck.rows(`SELECT TRY_CAST('${text}' AS ${type}) IS NOT NULL`)
      return (typedCell(value, type, reading) !== undefined) !== (text === null || row?.[0] === true)
    })
    expect(different).toEqual([])
  })
})

describe('a file with month names in its dates', () => {
  it('is planned and imported without rejected rows', async () => {
    const text = 'day,month,share\n3 April 1996,Apr 1996,12.5 %\n14 May 1997,1997-05,7 %\n'
    const { columns } = planCsv('a.csv', [new TextEncoder().encode(text)])
    expect(columns.map(({ type }) => type)).toEqual(['DATE', 'DATE', 'DOUBLE'])
    const chosen = Object.fromEntries(columns.map((column) => [column.name, { ...column, type: column.type ?? '' }]))
    expect(await check(text, chosen)).toMatchObject({ rows: 2, rejectedRows: 0 })
    const bytes = new TextEncoder().encode(text)
    const ready = prepareCsv({ bytes, delimiter: ',', hasHeader: true, columns })
    expect(new TextDecoder().decode(ready)).toBe(
      'day,month,share\n1996-04-03,1996-04-01,12.5\n1997-05-14,1997-05-01,7\n',
    )
  })
})
