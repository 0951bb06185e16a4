// Time from a large CSV to its first aggregate in the browser: import and guarded read, against DuckDB alone.
import { readdir } from 'node:fs/promises'
import { register } from 'node:module'
import { join } from 'node:path'
import { alternate } from './alternate.mjs'
import { inFolder } from './folders.mjs'
import { median, range } from './statistics.mjs'

/** @typedef {'duck' | 'load' | 'plan' | 'raw' | 'source' | 'worker'} Name */
/** @typedef {import('../e2e/data/support/analysis-harness.ts').Harness<Name>} Harness */
/** @typedef {Pick<import('../e2e/data/support/harness-entry.ts').HarnessModules, Name>} Modules */
/**
 * @typedef {object} Prepared on the page
 * @property {Uint8Array<ArrayBuffer>} bytes
 * @property {Awaited<ReturnType<Modules['duck']['createQueryEngine']>>} engine
 * @property {InstanceType<Modules['raw']['AsyncDuckDB']>} db
 */
/**
 * @typedef {object} Times milliseconds
 * @property {number} load until the table exists
 * @property {number} total until the aggregate is returned
 * @property {number} engine the same with a known plan of the file
 */

const rows = 1_000_000
const aggregate = 'SELECT g, avg(v) AS mean, max(d) AS latest FROM big GROUP BY g ORDER BY g'

/** @type {import('./figure.mjs').Measurement} */
export const analysis = {
  title: 'Data, a CSV of 1 M rows to its first aggregate in the browser',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      process.env.QUARTERDECK_E2E_FOLDER = folder
      const { harness, close } = await openHarness()
      try {
        await prepare(harness)
        const { ours, theirs } = await alternate(isQuick ? 3 : 7, {
          ours: () => harness.run(throughOurs, { aggregate }),
          theirs: () => harness.run(throughTheirs, { aggregate }),
        })
        const side = { unit: 'ms', against: 'DuckDB-WASM alone', better: /** @type {const} */ ('lower') }
        return [
          { ...side, name: 'file to first aggregate', ...pair(ours, theirs, 'total'), goal: '≤ 1.2 ×' },
          { ...side, name: 'file to table', ...pair(ours, theirs, 'load') },
          { ...side, name: 'the same without scanning the file first', ...pair(ours, theirs, 'engine') },
        ]
      } finally {
        await close()
        delete process.env.QUARTERDECK_E2E_FOLDER
      }
    }),
}

/**
 * @param {readonly Times[]} ours
 * @param {readonly Times[]} theirs
 * @param {keyof Times} part
 */
function pair(ours, theirs, part) {
  const [mine, others] = [ours, theirs].map((times) => times.map((time) => time[part]))
  const note = `${mine?.length} rounds, ${range(mine ?? [])} against ${range(others ?? [])} ms`
  return { ours: median(mine ?? []), theirs: median(others ?? []), note }
}

async function openHarness() {
  register('./typescript-hooks.mjs', import.meta.url)
  const { setup } = await import('../e2e/support/browser/browser.ts')
  const { openHarness: open } = await import('../e2e/data/support/analysis-harness.ts')
  const closeBrowser = await setup()
  const harness = await open('duck', 'load', 'plan', 'raw', 'source', 'worker')
  const close = async () => {
    await harness.close()
    await closeBrowser()
  }
  return { harness, close }
}

/**
 * Both databases and the worker run, and the file is loaded, before the measurement starts, as on an open Data page.
 * @param {Harness} harness
 */
async function prepare(harness) {
  const assets = await readdir(join(harness.site, 'assets'))
  const worker = `/assets/${assets.find((name) => name.startsWith('duckdb') && name.includes('.worker-'))}`
  const wasm = `/assets/${assets.find((name) => name.startsWith('duckdb') && name.endsWith('.wasm'))}`
  await harness.run(
    async ({ modules, worker, wasm, rows }) => {
      const lines = ['i,g,v,d']
      for (let at = 0; at < rows; at += 1) {
        lines.push(`${at},name ${at % 100},${((at * 7) % 1000) / 10},2024-0${1 + (at % 9)}-1${at % 9}`)
      }
      const bytes = new TextEncoder().encode(lines.join('\n'))
      const db = new modules.raw.AsyncDuckDB(new modules.raw.VoidLogger(), new Worker(worker))
      const blob = new Blob([await (await fetch(wasm)).arrayBuffer()], { type: 'application/wasm' })
      await db.instantiate(URL.createObjectURL(blob))
      const engine = await modules.duck.createQueryEngine({})
      modules.worker.warmWorker()
      Object.assign(globalThis, { prepared: { bytes, engine, db } })
    },
    { worker, wasm, rows },
  )
}

/**
 * Runs in the page.
 * @param {{ modules: Modules, aggregate: string }} given
 * @returns {Promise<Times>}
 */
async function throughOurs({ modules, aggregate }) {
  const { bytes, engine } = /** @type {{ prepared: Prepared }} */ (/** @type {unknown} */ (globalThis)).prepared
  const file = modules.source.sourceOfFile(new File([bytes], 'big.csv'))
  const startedAt = performance.now()
  const plan = await modules.plan.planFile(file, { taken: [] })
  await modules.load.importFile(engine, { bytes: await file.bytes(), plan })
  const load = performance.now() - startedAt
  const { rowCount } = await engine.read(aggregate, { author: 'model', maxRows: 1000, timeoutMs: 600_000 })
  const total = performance.now() - startedAt
  if (rowCount !== 100) throw new Error(`${rowCount} groups instead of 100`)
  await engine.drop('big')
  const againAt = performance.now()
  const columns = plan.tables[0]?.columns ?? []
  await engine.addCsv({ name: 'big', bytes: await file.bytes(), delimiter: ',', hasHeader: true, columns })
  await engine.read(aggregate, { author: 'model', maxRows: 1000, timeoutMs: 600_000 })
  const again = performance.now() - againAt
  await engine.drop('big')
  return { load, total, engine: again }
}

/**
 * Runs in the page.
 * @param {{ aggregate: string }} given
 * @returns {Promise<Times>}
 */
async function throughTheirs({ aggregate }) {
  const { bytes, db } = /** @type {{ prepared: Prepared }} */ (/** @type {unknown} */ (globalThis)).prepared
  const file = new File([bytes], 'big.csv')
  const startedAt = performance.now()
  await db.registerFileBuffer('big.csv', new Uint8Array(await file.arrayBuffer()))
  const connection = await db.connect()
  await connection.query("CREATE TABLE big AS FROM read_csv('big.csv')")
  const load = performance.now() - startedAt
  const { numRows } = await connection.query(aggregate)
  const total = performance.now() - startedAt
  if (numRows !== 100) throw new Error(`${numRows} groups instead of 100`)
  await connection.query('DROP TABLE big')
  await connection.close()
  await db.dropFile('big.csv')
  return { load, total, engine: total }
}
