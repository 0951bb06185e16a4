// The database of the page in a real browser: its start, tables, steps, and cancellation.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineError } from '../../packages/web/src/data/domain/query-engine.ts'
import { type EnginePage, openEnginePage } from './support/engine-page.ts'
import type { HarnessModules } from './support/harness-entry.ts'

let harness: EnginePage
beforeAll(async () => {
  harness = await openEnginePage()
})
afterAll(() => harness?.close())

const read: EnginePage['read'] = (...query) => harness.read(...query)
const rowsOf: EnginePage['rowsOf'] = (...query) => harness.rowsOf(...query)

describe('starting the engine', () => {
  it('reports loaded bytes and loads only from this server', () => {
    const { progress } = harness
    expect(progress.length).toBeGreaterThan(1)
    expect(progress.at(-1)?.bytesLoaded).toBeGreaterThan(30_000_000)
    expect(progress.at(-1)?.bytesTotal).toBe(progress.at(-1)?.bytesLoaded)
    expect(harness.outside()).toEqual([])
  })

  it('would be seen if it reached a server: without locks and policy it does, with the policy alone it does not', async () => {
    const assets = await readdir(join(harness.site, 'assets'))
    const urls = {
      worker: `/assets/${assets.find((name) => name.startsWith('duckdb-browser-eh.worker-'))}`,
      wasm: `/assets/${assets.find((name) => name.startsWith('duckdb-eh-'))}`,
      address: harness.forbidden.url,
    }
    const readUnlocked = async ({
      modules,
      worker,
      wasm,
      address,
    }: { modules: Pick<HarnessModules, 'raw'> } & typeof urls) => {
      const db = new modules.raw.AsyncDuckDB(new modules.raw.VoidLogger(), new Worker(worker))
      const blob = new Blob([await (await fetch(wasm)).arrayBuffer()], { type: 'application/wasm' })
      await db.instantiate(URL.createObjectURL(blob))
      const connection = await db.connect()
      const read = await connection.query(`FROM read_csv('${address}/x.csv')`).then(
        (table) => table.numRows,
        () => 'refused',
      )
      await db.terminate()
      return read
    }
    const before = harness.forbidden.hits()
    expect(await harness.run(readUnlocked, urls)).toBe('refused')
    expect(harness.forbidden.hits()).toBe(before)
    const bare = await harness.openBare()
    expect(await bare.run(readUnlocked, urls)).toBe(1)
    expect(harness.forbidden.hits()).toBeGreaterThan(before)
    await bare.close()
  })
})

describe('tables', () => {
  it('load from CSV with the chosen types, and report misfits with their line', async () => {
    const imported = await harness.run(async () => {
      const text =
        'Größe;"a""b";x;left out\r\n1;2.5;2024-01-31;q\r\noops;3;2024-02-01;q\r\n2;4\r\n3;5;2024-02-02;"multi\r\nline"\r\n4;6;;\r\n5;6;2024-02-03;q;more\r\n'
      return engine.addCsv({
        name: 'odd "name" 价格',
        bytes: new TextEncoder().encode(text),
        delimiter: ';',
        hasHeader: true,
        columns: [
          { name: 'Größe', type: 'BIGINT' },
          { name: 'a"b', type: 'DOUBLE' },
          { name: 'x', type: 'DATE' },
          { name: 'left out', type: null },
        ],
      })
    })
    expect(imported).toEqual({
      facts: {
        name: 'odd "name" 价格',
        rowCount: 3,
        columns: [
          { name: 'Größe', type: 'BIGINT' },
          { name: 'a"b', type: 'DOUBLE' },
          { name: 'x', type: 'DATE' },
        ],
        neverSent: [],
      },
      rejectedCount: 3,
      rejected: [
        { line: 3, column: 'Größe', problem: '"oops" is not a whole number', text: 'oops;3;2024-02-01;q' },
        { line: 4, column: null, problem: '2 columns instead of 4', text: '2;4' },
        { line: 8, column: null, problem: '5 columns instead of 4', text: '5;6;2024-02-03;q;more' },
      ],
    })
    expect(await rowsOf('SELECT "Größe", "a""b", x FROM "odd ""name"" 价格"')).toEqual([
      [1, 2.5, '2024-01-31'],
      [3, 5, '2024-02-02'],
      [4, 6, null],
    ])
  })

  it('can be renamed, replaced and dropped with any name', async () => {
    const names = await harness.run(async ({ modules }) => {
      await engine.rename('odd "name" 价格', 'Select')
      await engine.rename('Select', 'SELECT')
      await engine.setNeverSent('SELECT', ['x'])
      const ipc = modules.ipc.toIpc([{ name: 'n', type: 'BIGINT', values: [1, 2] }])
      await engine.addArrow('SELECT', ipc)
      await engine.addArrow('typed', ipc, [{ name: 'N "1"', type: 'VARCHAR' }])
      const refused = await engine
        .addArrow('typed', ipc, [{ name: 'n', type: 'DATE' }])
        .catch((error: Error) => error.name)
      const step = await engine.addArrow('step_3', ipc).catch((error: Error) => error.name)
      return [
        (await engine.tables()).map(({ name, columns, neverSent }) => [name, columns.length, neverSent]),
        refused,
        step,
      ]
    })
    expect(names).toEqual([
      [
        ['people', 4, []],
        ['orders', 3, []],
        ['SELECT', 1, []],
        ['typed', 1, []],
      ],
      'EngineError',
      'EngineError',
    ])
    expect(await rowsOf('FROM "select"')).toEqual([[1], [2]])
    expect(await rowsOf('SELECT "N ""1""" FROM typed')).toEqual([['1'], ['2']])
    await harness.run(async () => {
      for (const name of ['SELECT', 'typed']) await engine.drop(name)
    })
    expect(await read('FROM typed')).toMatchObject({ problem: 'sql' })
    expect(await read('FROM typed', { author: 'person' })).toMatchObject({ problem: 'sql' })
  })

  it('stay unchanged while others are added and renamed', async () => {
    const names = ['quarterdeck_incoming', 'quarterdeck_ready', 'other renamed']
    await harness.run(
      async ({ modules, names }) => {
        const ipc = modules.ipc.toIpc([{ name: 'n', type: 'BIGINT', values: [1, 2] }])
        for (const name of names) await engine.addArrow(name, ipc)
        await engine.addArrow('typed', ipc, [{ name: 'n', type: 'VARCHAR' }])
        await engine.rename('typed', 'other')
      },
      { names },
    )
    for (const name of [...names, 'other']) expect(await rowsOf(`SELECT count(*) FROM "${name}"`)).toEqual([[2]])
    await harness.run(
      async ({ names }) => {
        for (const name of [...names, 'other']) await engine.drop(name)
      },
      { names },
    )
  })

  it('are complete or absent after a cancelled import, and the next import works', async () => {
    const outcome = await harness.run(async () => {
      const lines = Array.from({ length: 300_000 }, (_, at) => `${at},${at * 2}`).join('\n')
      const cancel = new AbortController()
      const columns = [
        { name: 'a', type: 'BIGINT' },
        { name: 'b', type: 'BIGINT' },
      ]
      const csv = { name: 'large', bytes: new TextEncoder().encode(lines), delimiter: ',', hasHeader: false, columns }
      const cancelled = engine.addCsv({ ...csv, signal: cancel.signal }).catch((error: EngineError) => error.problem)
      cancel.abort()
      const problem = await cancelled
      const adding = engine.addCsv(csv)
      // Meanwhile the file itself is in DuckDB's file system, including columns that are never sent. Models must not
      // read it.
      const peeks = ["FROM 'up/*'", "FROM 'up/*.csv'", "FROM read_csv('up/*')"].map((sql) =>
        engine.read(sql, { author: 'model', maxRows: 10, timeoutMs: 60_000 }).then(
          () => 'read',
          () => 'refused',
        ),
      )
      const peeked = await Promise.all(peeks)
      const { facts, rejectedCount } = await adding
      await engine.drop('large')
      return { problem, peeked, rowCount: facts.rowCount, rejectedCount }
    })
    expect(outcome).toEqual({
      problem: 'cancelled',
      peeked: ['refused', 'refused', 'refused'],
      rowCount: 300_000,
      rejectedCount: 0,
    })
  })
})

describe('steps', () => {
  it('are rows or queries, replaced by number, and visible to the model and the user', async () => {
    await harness.run(async () => {
      const { ipc } = await engine.read('SELECT id FROM people', { author: 'model', maxRows: 10, timeoutMs: 60_000 })
      if (ipc !== null) await engine.storeStep(1, { ipc })
      await engine.storeStep(2, { sql: 'SELECT id * 2 AS twice FROM step_1;' })
    })
    expect(await rowsOf('SELECT sum(twice) FROM step_2')).toEqual([[12]])
    expect(await rowsOf('SELECT sum(twice) FROM step_2', { author: 'person' })).toEqual([[12]])
    await harness.run(() => engine.storeStep(1, { sql: 'SELECT 50::BIGINT AS id' }))
    expect(await rowsOf('FROM step_2')).toEqual([[100]])
    await harness.run(() => engine.storeStep(1, { sql: "SELECT 'x' AS id" }))
    expect(await read('FROM step_2')).toMatchObject({ problem: 'sql' })
    await harness.run(() => engine.dropSteps())
    expect(await read('FROM step_1')).toMatchObject({ problem: 'sql' })
  })
})

describe('stopping a query', () => {
  const endless = 'SELECT sum(sin(a.i) * cos(b.i)) FROM range(3000000) a(i), range(3000000) b(i)'

  it('happens on timeout or on request, and the next query runs', async () => {
    expect(await read(endless, { timeoutMs: 300 })).toMatchObject({
      problem: 'timeout',
      message: expect.stringContaining('0.3 s'),
    })
    expect(await rowsOf('SELECT 1')).toEqual([[1]])
    const cancelled = await harness.run(
      async ({ endless }) => {
        const cancel = new AbortController()
        const read = engine.read(endless, { author: 'model', maxRows: 10, timeoutMs: 60_000, signal: cancel.signal })
        const other = engine.read('SELECT 2', { author: 'person', maxRows: 10, timeoutMs: 60_000 })
        setTimeout(() => cancel.abort(), 200)
        const problem = await read.catch((error: EngineError) => error.problem)
        return [problem, (await other).rows]
      },
      { endless },
    )
    expect(cancelled).toEqual(['cancelled', [[2]]])
  })

  it('ends the worker if the query never pauses; the restarted database is empty, locked and works', async () => {
    const deaf = 'SELECT count(*) FROM range(3000000) a(i), range(3000000) b(j) WHERE i + j = -1'
    const [one, other] = await Promise.all([
      read(deaf, { timeoutMs: 100 }),
      read('SELECT count(*) FROM range(100000000)'),
    ])
    expect(one).toMatchObject({ problem: 'timeout' })
    expect(['dead', undefined]).toContain('problem' in other ? other.problem : undefined)
    expect(await read('SELECT 1')).toMatchObject({ problem: 'dead' })
    await harness.run(() => Promise.all([engine.restart(), engine.restart()]))
    expect(await harness.run(() => engine.tables())).toEqual([])
    expect(await rowsOf('SELECT 1')).toEqual([[1]])
    expect(await read("COPY (SELECT 1) TO 'up/x'")).toMatchObject({ problem: 'refused' })
    expect(await read(`FROM '${harness.forbidden.url}/x.csv'`)).toMatchObject({ problem: 'sql' })
    await harness.run(() => engine.close())
    expect(await read('SELECT 1')).toMatchObject({ problem: 'dead' })
  })
})
