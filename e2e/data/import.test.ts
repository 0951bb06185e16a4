// Unfamiliar files become tables in a real browser without requests: all formats, and imports that are cancelled or fail.
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
