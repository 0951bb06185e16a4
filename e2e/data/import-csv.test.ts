// Unfamiliar CSV files become tables in a real browser without requests.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { HarnessModules } from './support/harness-entry.ts'
import { type ImportPage, openImportPage } from './support/import-page.ts'
import * as files from './support/table-files.ts'

let harness: ImportPage
beforeAll(async () => {
  harness = await openImportPage()
})
afterAll(() => harness?.close())
afterEach(() => {
  expect(harness.outside()).toEqual([])
  expect(harness.trouble()).toEqual([])
})

const load: ImportPage['load'] = (...file) => harness.load(...file)
const only: ImportPage['only'] = (...file) => harness.only(...file)

describe('a CSV', () => {
  it('has all columns queryable, whatever their names are', async () => {
    const table = await only('odd.csv', '\ufeffGröße,价格,"a""b",x y,x y,,"two\nlines",select\n1,2.5,c,d,e,f,g,h\n')
    expect(table.columns).toEqual(['Größe', '价格', 'a"b', 'x y', 'x y_2', 'column_6', 'two lines', 'select'])
    expect(table.rows).toEqual([[1, 2.5, 'c', 'd', 'e', 'f', 'g', 'h']])
  })

  it.each([
    ['latin-1', Buffer.from('Straße;n\nKöln;1\n', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffStraße;n\nKöln;1\n', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('Straße;n\nKöln;1\n', 'utf16le')],
    ['lines that end with CR', Buffer.from('Straße;n\rKöln;1\r')],
    ['lines that end with CRLF', Buffer.from('Straße;n\r\nKöln;1\r\n')],
    ['lines that end in several ways', Buffer.from('Straße;n\r\nKöln;1\n')],
    ['gzip', files.packed(Buffer.from('Straße;n\nKöln;1'))],
    ['gzip in gzip', files.packed(files.packed(Buffer.from('Straße;n\nKöln;1')))],
  ])('is read in %s', async (_what, bytes) => {
    expect(await only('street.csv', bytes)).toMatchObject({ columns: ['Straße', 'n'], rows: [['Köln', 1]] })
  })

  it('reports every row that does not fit, with its line and reason', async () => {
    const text =
      'id,note,when\n1,"two\nlines",2026-01-31\n2,short\n3,c,2026-01-32\n4,d,e,f\nfive,x,2026-01-31\n6.5,y,\n7,z,\n'
    const types = { id: 'BIGINT', when: 'DATE' }
    const table = await only('ragged.csv', text, { types })
    expect(table.rows).toEqual([
      [1, 'two\nlines', '2026-01-31'],
      [7, 'z', null],
    ])
    expect(table.rejectedCount).toBe(5)
    expect(table.rejected).toEqual([
      [4, null, '2 columns instead of 3'],
      [5, 'when', '"2026-01-32" is not a date'],
      [6, null, '4 columns instead of 3'],
      [7, 'id', '"five" is not a whole number'],
      [8, 'id', '"6.5" is not a whole number'],
    ])
  })

  it('has detected types, including dates and numbers in other notations', async () => {
    const text = [
      'zip;price;day;at;ok;n;us',
      '01067;1.234,50;31.12.2026;2026-01-31T10:00:00+02:00;yes;NA;12/31/2026',
      '50667;0,99;01.02.2026;2026-01-31 10:00;no;7;1/2/2026',
    ].join('\n')
    const table = await only('other people.csv', text)
    expect(table.types).toEqual(['VARCHAR', 'DOUBLE', 'DATE', 'TIMESTAMP', 'BOOLEAN', 'BIGINT', 'DATE'])
    expect(table.rows).toEqual([
      ['01067', 1234.5, '2026-12-31', '2026-01-31T08:00:00', true, null, '2026-12-31'],
      ['50667', 0.99, '2026-02-01', '2026-01-31T10:00:00', false, 7, '2026-01-02'],
    ])
    expect(table.name).toBe('other_people')
  })

  it('loses only one row because of one impossible day', async () => {
    const rows = Array.from(
      { length: 301 },
      (_, at) => `${String((at % 28) + 1).padStart(2, '0')}.10.2025;1.${100 + at},50`,
    )
    const text = ['Datum;Betrag', ...rows, '31.02.2025;5.897,52'].join('\n')
    const table = await only('booked.csv', text)
    expect(table.types).toEqual(['DATE', 'DOUBLE'])
    expect(table.plan.warnings).toEqual([expect.stringContaining('1 of 302 values does not fit ("31.02.2025")')])
    expect(table.rows).toHaveLength(301)
    expect(table.rows[0]).toEqual(['2025-10-01', 1100.5])
    expect(table.rejected).toEqual([[303, 'Datum', '"31.02.2025" is not a date']])
    expect(table.lines).toEqual(['31.02.2025;5.897,52'])
    const few = ['Datum;Betrag', '01.10.2025;1.100,50', '02.10.2025;7,5', 'open;free'].join('\n')
    const chosen = await only('few.csv', few, { types: { Datum: 'DATE', Betrag: 'DOUBLE' } })
    expect(chosen.rows).toEqual([
      ['2025-10-01', 1100.5],
      ['2025-10-02', 7.5],
    ])
    expect(chosen.rejected).toEqual([[4, 'Datum', '"open" is not a date']])
  })

  it('treats a decimal point as a decimal comma, and reads dates written in two ways', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `1.${10 + at};1,${10 + at};2026-01-${10 + (at % 20)}`)
    const text = ['amount;amount_de;day', ...rows, 'abc;7,5;02/13/2026', '2.50;abc;02/14/2026', '3.5;1.5;02/15/2026']
    const table = await only('amounts.csv', text.join('\n'))
    expect(table.types).toEqual(['DOUBLE', 'DOUBLE', 'DATE'])
    const misfit = '1 of 43 values does not fit ("abc").'
    expect(table.plan.warnings).toEqual([
      `"amount" is read as a number: ${misfit}`,
      `"amount_de" is read as a number: its numbers have two notations ("1,10" and "1.5"); ${misfit}`,
      '"day" is read as a date: its dates have two notations ("2026-01-10" and "02/13/2026").',
    ])
    expect(table.rejected).toEqual([
      [42, 'amount', '"abc" is not a number'],
      [43, 'amount_de', '"abc" is not a number'],
    ])
    expect(table.rows).toHaveLength(41)
    expect(table.rows.at(-1)).toEqual([3.5, 1.5, '2026-02-15'])
  })

  it('may have one column, a huge cell, no rows, or no header', async () => {
    expect(await only('one.csv', 'only\n1\n2\n')).toMatchObject({ columns: ['only'], rows: [[1], [2]] })
    const huge = await only('huge.csv', `id,text\n1,${'x'.repeat(1_500_000)}\n2,y\n`)
    expect(huge.rows.map(([id, text]) => [id, String(text).length])).toEqual([
      [1, 1_500_000],
      [2, 1],
    ])
    const tooHuge = await only('huger.csv', `id,text\n1,${'x'.repeat(3_000_000)}\n2,y\n`, { types: { id: 'BIGINT' } })
    expect(tooHuge).toMatchObject({ rows: [[2, 'y']], rejected: [[2, null, 'longer than 2 MB']] })
    expect(await only('names.csv', 'a,b')).toMatchObject({ columns: ['a', 'b'], rows: [] })
    expect(await only('bare.csv', '1,x\n2,y')).toMatchObject({
      columns: ['column_1', 'column_2'],
      rows: [
        [1, 'x'],
        [2, 'y'],
      ],
    })
  })

  it('is read again with the options of the user and without excluded columns', async () => {
    const latin = await only('utf.csv', 'ä;1\n', { again: { encoding: 'windows-1252', hasHeader: true } })
    expect(latin.columns).toEqual(['Ã¤', '1'])
    const less = await only('less.csv', 'a,b\n1,2\n', { types: { a: null, b: 'VARCHAR' } })
    expect(less).toMatchObject({ columns: ['b'], types: ['VARCHAR'], rows: [['2']] })
  })

  it('is refused with a message if it is empty', async () => {
    for (const text of ['', ' \n', '\ufeff']) {
      expect((await load('nothing.csv', text)).problem?.message).toBe('"nothing.csv" is empty.')
    }
  })

  it('is refused if it is prose, and becomes a table under the proposed name', async () => {
    const text = 'Meeting notes\nWe met on Monday, all of us.\nNothing was decided, as usual.\nThat is all'
    for (const bytes of [Buffer.from(text), files.packed(Buffer.from(text))]) {
      expect((await load('notes.txt', bytes)).problem?.message).toBe(
        '"notes.txt" looks like prose, not rows. If it is a table, rename it to "notes.csv", or use "Paste a table" in Data.',
      )
      expect(await only('notes.csv', bytes)).toMatchObject({
        columns: ['Meeting notes'],
        rows: [['That is all']],
        rejectedCount: 2,
      })
    }
  })
})

describe('a large CSV', () => {
  it('is planned from samples, with one worker for all calls', async () => {
    let started = 0
    const count = () => {
      started += 1
    }
    harness.page.on('worker', count)
    const found = await harness.run(async ({ modules }) => {
      const engine = Reflect.get(globalThis, 'engine') as Awaited<
        ReturnType<HarnessModules['duck']['createQueryEngine']>
      >
      const text = `n,t\n${`1,${'x'.repeat(90)}\n`.repeat(40_000)}`
      const source = modules.source.sourceOfFile(new File([text], 'pieces.csv'))
      const unread = { ...source, bytes: () => Promise.reject(new Error('read whole')) }
      const plan = await modules.plan.planFile(unread, { taken: [] })
      const again = await modules.plan.replanFile(unread, { ...plan, hasHeader: false }, { taken: [] })
      const [table] = await modules.load.importFile(engine, { bytes: await source.bytes(), plan })
      await engine.drop('pieces')
      const types = [plan, again].map(({ tables }) => tables[0]?.columns.map(({ type }) => type))
      return { types, sizeBytes: plan.sizeBytes, size: text.length, rowCount: table?.facts.rowCount }
    })
    harness.page.off('worker', count)
    expect(found.types).toEqual([
      ['BIGINT', 'VARCHAR'],
      ['VARCHAR', 'VARCHAR'],
    ])
    expect(found.sizeBytes).toBe(found.size)
    expect(found.rowCount).toBe(40_000)
    expect(started).toBeLessThan(2)
  })

  /** After 900,000 rows, beyond the samples of the plan. */
  const loadLate = (late: string, rest: string) =>
    harness.run(
      async ({ modules, late, rest }) => {
        const engine = Reflect.get(globalThis, 'engine') as Awaited<
          ReturnType<HarnessModules['duck']['createQueryEngine']>
        >
        const text = `n,d,m\n${rest.repeat(900_000)}${late}${rest.repeat(50_000)}`
        const source = modules.source.sourceOfText('late.csv', text)
        const plan = await modules.plan.planFile(source, { taken: [] })
        const [table] = await modules.load.importFile(engine, { bytes: await source.bytes(), plan })
        const sql = 'SELECT n, d, m FROM late WHERE n <> 1'
        const { rows } = await engine.read(sql, { author: 'model', maxRows: 100, timeoutMs: 600_000 })
        await engine.drop('late')
        return {
          types: plan.tables[0]?.columns.map(({ type }) => type),
          rowCount: table?.facts.rowCount,
          rows,
          rejected: table?.rejected.map(({ line, column, problem }) => [line, column, problem]),
        }
      },
      { late, rest },
    )

  it.each([
    ['plain', '1,2026-01-31,2026-01-31 10:00\n', (cell: string) => cell],
    ['in quotes', '"1","2026-01-31","2026-01-31 10:00"\n', (cell: string) => `"${cell}"`],
  ])('loses and changes nothing silently after 900,000 rows: %s', async (_what, rest, written) => {
    const row = (...cells: string[]) => cells.map(written).join(',')
    const late = [
      `${row('1.5', '2026-01-31', '2026-01-31 10:00')}\n`,
      `${row('2', '2026-01-31 23:00', '2026-01-31 10:00')}\n`,
      `${row('3', '2026-01-31', '2026-01-31 10:00+02:00')}\n`,
      `${row('4', '', '')}\r\n`,
    ]
    const found = await loadLate(late.join(''), rest)
    expect(found.types).toEqual(['BIGINT', 'DATE', 'TIMESTAMP'])
    expect(found.rows).toEqual([
      [3, '2026-01-31', '2026-01-31T08:00:00'],
      [4, null, null],
    ])
    expect(found.rejected).toEqual([
      [900_002, 'n', '"1.5" is not a whole number'],
      [900_003, 'd', '"2026-01-31 23:00" is more than a date'],
    ])
    expect(found.rowCount).toBe(950_002)
  })

  it('reports times with more precision than SQL keeps', async () => {
    const table = await only('times.csv', 't,x\n10:30:00,a\n10:30:00 PM,b\n10:30:00+02:00,c\n', {
      types: { t: 'TIME' },
    })
    expect(table.rows).toEqual([['10:30:00', 'a']])
    expect(table.rejected.map(([line]) => line)).toEqual([3, 4])
  })

  it('is loaded unchanged if empty cells are quoted', async () => {
    const table = await only('empty.csv', 'n,d,m\n"","",""\n"1","2026-01-31","2026-01-31 10:00"\n')
    expect(table).toMatchObject({ types: ['BIGINT', 'DATE', 'TIMESTAMP'], rejectedCount: 0 })
    expect(table.rows[0]).toEqual([null, null, null])
  })
})
