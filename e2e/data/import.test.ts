// Unfamiliar files become tables in a real browser without requests: unusual CSVs and all other formats.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { PlannedColumn } from '../../packages/web/src/data/domain/import-plan.ts'
import { type Harness, openHarness } from './support/analysis-harness.ts'
import type { HarnessModules } from './support/harness-entry.ts'
import * as files from './support/table-files.ts'

let harness: Harness<'duck' | 'plan' | 'source' | 'load'>
beforeAll(async () => {
  harness = await openHarness('duck', 'plan', 'source', 'load')
  await harness.run(async ({ modules }) => {
    Object.assign(globalThis, { engine: await modules.duck.createQueryEngine({}) })
  })
})
afterAll(() => harness?.close())
afterEach(() => {
  expect(harness.outside()).toEqual([])
  expect(harness.trouble()).toEqual([])
})

interface Edit {
  /** Changes the plan as a user does before the import. */
  readonly again?: {
    readonly encoding?: 'windows-1252' | 'utf-8'
    readonly delimiter?: string
    readonly hasHeader?: boolean
  }
  /** Types by column name. */
  readonly types?: Readonly<Record<string, string | null>>
}

/** Plans a file, imports it, and reads all of its tables. */
const load = (name: string, bytes: Buffer | string, edit: Edit = {}) =>
  harness.run(
    async ({ modules, name, base64, edit }) => {
      const engine = Reflect.get(globalThis, 'engine') as Awaited<
        ReturnType<HarnessModules['duck']['createQueryEngine']>
      >
      const source = modules.source.sourceOfBytes(
        name,
        Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)),
      )
      try {
        let plan = await modules.plan.planFile(source, { taken: [] })
        if (edit.again !== undefined)
          plan = await modules.plan.replanFile(source, { ...plan, ...edit.again }, { taken: [] })
        const typed = (column: PlannedColumn) => {
          const type = edit.types?.[column.name]
          return type === undefined ? column : { ...column, type }
        }
        plan = { ...plan, tables: plan.tables.map((table) => ({ ...table, columns: table.columns.map(typed) })) }
        const imported = await modules.load.importFile(engine, { bytes: await source.bytes(), plan })
        const tables = []
        for (const { facts, rejectedCount, rejected } of imported) {
          const quoted = facts.columns.map((column) => `"${column.name.replaceAll('"', '""')}"`).join(', ')
          const sql = `SELECT ${quoted} FROM "${facts.name}"`
          const { rows } = await engine.read(sql, { author: 'model', maxRows: 1000, timeoutMs: 60_000 })
          tables.push({
            name: facts.name,
            columns: facts.columns.map((column) => column.name),
            types: facts.columns.map((column) => column.type),
            rows: rows.map((row) => row.map((cell) => (typeof cell === 'bigint' ? `${cell}n` : cell))),
            rejectedCount,
            rejected: rejected.map(({ line, column, problem }) => [line, column, problem]),
            lines: rejected.map(({ text }) => text),
          })
          await engine.drop(facts.name)
        }
        return { plan, tables, problem: null, left: (await engine.tables()).length }
      } catch (error) {
        const problem = error instanceof Error ? { name: error.name, message: error.message } : null
        return { plan: null, tables: [], problem, left: (await engine.tables()).length }
      }
    },
    { name, base64: Buffer.from(bytes).toString('base64'), edit },
  )

const only = async (...given: Parameters<typeof load>) => {
  const { plan, tables, problem } = await load(...given)
  const [table] = tables
  if (table === undefined || plan === null) throw new Error(`no table: ${problem?.message}`)
  return { ...table, plan }
}

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

const plainRows = files.cities.map(({ city, people, founded, isPort }) => [city, people, founded, isPort])

describe('another format', () => {
  it.each([
    ['cities.json', files.citiesJson()],
    ['cities.ndjson', files.citiesNdjson()],
    ['cities.csv', files.citiesCsv()],
    ['cities.arrow', files.citiesArrow('file')],
    ['cities.arrows', files.citiesArrow('stream')],
    ['cities.parquet', files.citiesParquet('SNAPPY')],
    ['zstd.parquet', files.citiesParquet('ZSTD')],
    ['json without an extension', files.citiesJson()],
    ['cities.json.gz', files.packed(files.citiesJson())],
  ])('loads as %s', async (name, bytes) => {
    const table = await only(name, bytes)
    expect(table.columns).toEqual(['city', 'people', 'founded', 'isPort'])
    expect(table.rows).toEqual(plainRows)
    expect(table.plan.tables[0]).toMatchObject({
      rowCount: 3,
      preview: {
        rows: [['Köln', '1084831', '50', expect.stringMatching(/^true$/i)], expect.any(Array), expect.any(Array)],
      },
    })
  })

  it('is a workbook with a table per sheet, dates as dates and formulas as values', async () => {
    for (const type of ['xlsx', 'biff8'] as const) {
      const { tables, plan } = await load(`book.${type}`, files.workbook(type))
      expect(tables.map(({ name }) => name)).toEqual(['Größte_Städte', 'zips'])
      expect(tables[0]).toMatchObject({
        columns: ['city', 'people', 'visited', 'at', 'rate', 'twice'],
        types: ['VARCHAR', 'BIGINT', 'DATE', 'TIMESTAMP', 'DOUBLE', 'BIGINT'],
        rows: [
          ['Köln', 1_084_831, '2025-12-09', '2025-12-09T12:00:00', 0.5, 2_169_662],
          ['京都', 1_464_890, '2026-01-09', '2026-01-09T06:00:00', 0.25, null],
          ['São Paulo', 11_451_999, null, null, null, null],
        ],
      })
      expect(tables[1]?.rows).toEqual([
        [1, '01067'],
        [2, '50667'],
      ])
      expect(plan?.tables.map(({ part, isChosen }) => [part, isChosen])).toEqual([
        ['Größte Städte', true],
        ['zips', true],
        ['notes', false],
      ])
    }
  })

  it('is a database with tables and views and exact long numbers', async () => {
    const { tables } = await load('places.db', await files.database())
    expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
      [
        'my_cities',
        [
          ['Köln', 1_084_831, '9007199254740993n', 0.5, '2026-01-31T10:00:00', '00ff'],
          ['京都', 1_464_890, -1, null, '2026-02-01T00:00:00', null],
        ],
      ],
      ['zips', [[1, '01067']]],
      ['big_cities', [['京都']]],
    ])
  })

  it('is a database with an endless view: its other tables are added', async () => {
    const { plan, tables } = await load('endless.db', await files.endlessDatabase())
    expect(plan?.tables.map(({ name, isChosen }) => [name, isChosen])).toEqual([
      ['zips', true],
      ['loopy', false],
    ])
    expect(tables.map(({ name, rows }) => [name, rows])).toEqual([['zips', [[1, '01067']]]])
  })

  it('uses the types and columns that the user chose, and rejects misfits', async () => {
    const json = await only('mixed.json', '[{"a":1,"b":"x"},\n{"a":"two","b":"y"}]', { types: { a: 'BIGINT' } })
    expect(json).toMatchObject({
      rows: [[1, 'x']],
      rejectedCount: 1,
      rejected: [[2, 'a', '"two" is not a whole number']],
    })
    const types = { people: 'VARCHAR', founded: null }
    const parquet = await only('cities.parquet', files.citiesParquet('GZIP'), { types })
    expect(parquet.rows[0]).toEqual(['Köln', '1084831', true])
  })

  it('may contain lists and objects with any keys', async () => {
    const { columns, rows } = await only('nested.parquet', files.nestedParquet())
    expect(columns).toEqual(['list', 'object', 'at'])
    expect(rows).toEqual([
      ['[1,2]', '{"x\\" INTEGER), (SELECT 1":7}', '2026-01-01T00:00:00.123'],
      [null, null, null],
    ])
  })

  it.each([
    ['broken.json', '[{"a":1},\n{"a":]', /not valid JSON: expected a value in line 2, character 6/],
    ['broken.ndjson', '{"a":1}\n{"a"\n', /not valid JSON: expected .+ in line 3/],
    ['broken.parquet', files.citiesParquet('SNAPPY').subarray(0, 300), /"broken.parquet" cannot be read as Parquet/],
    [
      'broken.arrow',
      files.citiesArrow('file').subarray(0, 400),
      /broken Arrow file: the message at byte \d+ is incomplete/,
    ],
    [
      'broken.arrows',
      files.citiesArrow('stream').subarray(0, 400),
      /broken Arrow file: the message at byte \d+ is incomplete/,
    ],
    ['broken.xlsx', files.workbook().subarray(0, 900), /"broken.xlsx" cannot be read as a workbook/],
    [
      'broken.csv.gz',
      files.packed(Buffer.from('a,b\n'.repeat(9000))).subarray(0, 40),
      /"broken.csv.gz" is a broken gzip file/,
    ],
    ['picture.csv', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /"picture.csv" is not a table but an image/],
  ])('explains what is wrong with %s, and adds nothing', async (name, bytes, sentence) => {
    const { problem, left } = await load(name, bytes)
    expect(problem?.message).toMatch(sentence)
    expect(problem?.name).toBe('ImportError')
    expect(left).toBe(0)
  })

  it('is a broken database, and adds nothing', async () => {
    const { problem, left } = await load('broken.db', (await files.database()).fill(7, 4096, 9000))
    expect(problem?.message).toMatch(/"broken.db" cannot be read as a SQLite database/)
    expect(left).toBe(0)
  })
})

it('stops at once when it is cancelled, and never blocks the page', async () => {
  const found = await harness.run(async ({ modules }) => {
    const rows = Array.from(
      { length: 200_000 },
      (_, index) => `{"n":${index},"text":"some words to make it longer ${index}"}`,
    )
    const source = modules.source.sourceOfText('large.json', `[${rows.join(',')}]`)
    let ticks = 0
    const ticking = setInterval(() => {
      ticks += 1
    }, 5)
    const { tables } = await modules.plan.planFile(source, { taken: [] })
    clearInterval(ticking)
    const { postMessage, terminate } = Worker.prototype
    const ended: Worker[] = []
    let hand: (worker: Worker) => void = () => undefined
    const handed = new Promise<Worker>((resolve) => {
      hand = resolve
    })
    Object.assign(Worker.prototype, {
      postMessage(this: Worker, ...given: Parameters<typeof postMessage>) {
        hand(this)
        postMessage.apply(this, given)
      },
      terminate(this: Worker) {
        ended.push(this)
        terminate.apply(this)
      },
    })
    try {
      const stopping = new AbortController()
      const reading = modules.plan
        .planFile(source, { taken: [], signal: stopping.signal })
        .catch((error: unknown) => error)
      const worker = await handed
      await new Promise((resolve) => setTimeout(resolve, 20))
      stopping.abort()
      const message = String(await reading)
      return { rowCount: tables[0]?.rowCount, ticks, message, isEnded: ended.includes(worker) }
    } finally {
      Object.assign(Worker.prototype, { postMessage, terminate })
    }
  })
  expect(found).toMatchObject({ rowCount: 200_000, message: expect.stringContaining('cancelled'), isEnded: true })
  // If the page read the file itself, it would have been blocked during this time.
  expect(found.ticks).toBeGreaterThan(5)
})

it('can be cancelled while it reads an endless view, and the next file is read', async () => {
  const base64 = (await files.endlessDatabase()).toString('base64')
  const found = await harness.run(
    async ({ modules, base64 }) => {
      const engine = Reflect.get(globalThis, 'engine') as Awaited<
        ReturnType<HarnessModules['duck']['createQueryEngine']>
      >
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const plan = await modules.plan.planFile(modules.source.sourceOfBytes('endless.db', bytes), { taken: [] })
      const tables = plan.tables.map((table) => ({ ...table, isChosen: true }))
      const { terminate } = Worker.prototype
      let ended = 0
      Worker.prototype.terminate = function (this: Worker) {
        ended += 1
        terminate.apply(this)
      }
      try {
        const stopping = new AbortController()
        const given = { bytes, plan: { ...plan, tables }, signal: stopping.signal }
        const adding = modules.load.importFile(engine, given).catch((error: Error) => error.message)
        await new Promise((resolve) => setTimeout(resolve, 300))
        stopping.abort()
        return { message: await adding, ended, left: (await engine.tables()).length }
      } finally {
        Worker.prototype.terminate = terminate
      }
    },
    { base64 },
  )
  expect(found).toEqual({ message: 'The import was cancelled.', ended: 1, left: 0 })
  expect(await only('next.csv', 'a\n1\n')).toMatchObject({ rows: [[1]] })
})

it('ends its worker if the file or the answer cannot be transferred, and the next file is read', async () => {
  const found = await harness.run(async ({ modules }) => {
    const { postMessage, terminate } = Worker.prototype
    let ended = 0
    Worker.prototype.terminate = function (this: Worker) {
      ended += 1
      terminate.apply(this)
    }
    const messageOf = async (broken: (worker: Worker) => void) => {
      Worker.prototype.postMessage = function (this: Worker) {
        broken(this)
      }
      const source = modules.source.sourceOfText('one.csv', 'a\n1\n')
      return modules.plan.planFile(source, { taken: [] }).catch((error: Error) => `${error.name}: ${error.message}`)
    }
    try {
      const thrown = await messageOf(() => {
        throw new DOMException('no memory for a copy', 'DataCloneError')
      })
      const garbled = await messageOf((worker) => void worker.dispatchEvent(new MessageEvent('messageerror')))
      Object.assign(Worker.prototype, { postMessage })
      const plan = await modules.plan.planFile(modules.source.sourceOfText('one.csv', 'a\n1\n'), { taken: [] })
      return { thrown, garbled, ended, rowCount: plan.tables[0]?.rowCount }
    } finally {
      Object.assign(Worker.prototype, { postMessage, terminate })
    }
  })
  expect(found).toEqual({
    thrown: 'ImportError: The file cannot be read: no memory for a copy.',
    garbled: 'ImportError: The file cannot be read: the result could not be transferred.',
    ended: 2,
    rowCount: 1,
  })
})

it('leaves existing tables unchanged when replacing them is cancelled or fails', async () => {
  const found = await harness.run(async ({ modules }) => {
    const engine = Reflect.get(globalThis, 'engine') as Awaited<ReturnType<HarnessModules['duck']['createQueryEngine']>>
    const first = async (name: string, text: string) => {
      const source = modules.source.sourceOfText(name, text)
      const plan = await modules.plan.planFile(source, { taken: [] })
      return { bytes: await source.bytes(), plan }
    }
    const rowCounts = async () =>
      Object.fromEntries((await engine.tables()).map(({ name, rowCount }) => [name, rowCount]))
    await modules.load.importFile(engine, await first('a.csv', 'n\n1\n2\n3\n'))
    await modules.load.importFile(engine, await first('b.csv', 'n\n1\n2\n3\n4\n'))

    const stopping = new AbortController()
    const stopped = {
      ...engine,
      async addCsv(...given: Parameters<typeof engine.addCsv>) {
        const rows = await engine.addCsv(...given)
        stopping.abort()
        return rows
      },
    }
    const again = { ...(await first('a.csv', 'n\n7\n')), signal: stopping.signal }
    const cancelled = await modules.load.importFile(stopped, again).catch((error: Error) => error.message)
    const afterCancel = await rowCounts()

    let added = 0
    const broken = {
      ...engine,
      addArrow(...given: Parameters<typeof engine.addArrow>) {
        added += 1
        return added === 1 ? engine.addArrow(...given) : Promise.reject(new Error('the second one failed'))
      },
      async drop(name: string) {
        await engine.drop(name)
        throw new Error('and so did the clean-up')
      },
    }
    const both = await first('both.json', '{"a":[{"n":7}],"b":[{"n":8}]}')
    const failed = await modules.load.importFile(broken, both).catch((error: Error) => error.message)
    const afterFailure = await rowCounts()

    await modules.load.importFile(engine, both)
    const afterSuccess = await rowCounts()
    for (const name of ['a', 'b']) await engine.drop(name)
    return { cancelled, afterCancel, failed, afterFailure, afterSuccess }
  })
  expect(found).toEqual({
    cancelled: 'The import was cancelled.',
    afterCancel: { a: 3, b: 4 },
    failed: 'the second one failed',
    afterFailure: { a: 3, b: 4 },
    afterSuccess: { a: 1, b: 1 },
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
