import { expect, it, vi } from 'vitest'
import { importedTable } from '../domain/imported-table.fixture.ts'
import { EngineError, type QueryEngine, type QueryOptions } from '../domain/query-engine.ts'
import { createEngineService, type TableFill } from './create-engine-service.ts'
import { fillTables } from './fill-tables.ts'

const options: QueryOptions = { author: 'person', maxRows: 1, timeoutMs: 1000 }
const empty = { columns: [], rows: [], rowCount: 0, elapsedMs: 0, ipc: null }

const atOnce: TableFill = { whole: Promise.resolve(), need: async () => undefined }

/** An engine that only records its calls. */
function fakeEngine(read: QueryEngine['read']) {
  const log: string[] = []
  const record = (what: string) => async (): Promise<never> => {
    log.push(what)
    return undefined as never // results are not used
  }
  const engine: QueryEngine = {
    read,
    plan: record('plan'),
    addCsv: record('csv'),
    addArrow: record('arrow'),
    storeStep: record('step'),
    dropSteps: record('drop steps'),
    setNeverSent: record('never'),
    rename: record('rename'),
    drop: record('drop'),
    tables: record('tables'),
    restart: record('restart'),
    close: () => void log.push('close'),
  }
  return { engine, log }
}

it('loads once with its tables for all callers, and again after a failed attempt', async () => {
  const { engine } = fakeEngine(async () => empty)
  let tries = 0
  const filled: QueryEngine[] = []
  const service = createEngineService({
    async boot({ onProgress }) {
      tries += 1
      onProgress({ bytesLoaded: 1, bytesTotal: 2 })
      if (tries === 1) throw new Error('the network is gone')
      return engine
    },
    fill(into) {
      filled.push(into)
      return atOnce
    },
  })
  await expect(service.start()).rejects.toMatchObject({ problem: 'dead', message: 'the network is gone' })
  expect(service.state.getSnapshot()).toMatchObject({ status: 'failed', failure: { message: 'the network is gone' } })
  await Promise.all([
    service.start(),
    service.engine.read('SELECT 1', options),
    service.engine.read('SELECT 2', options),
  ])
  expect([tries, filled]).toEqual([2, [engine]])
  expect(service.state.getSnapshot()).toMatchObject({ status: 'ready', failure: null })
})

it('restarts once when it dies, notifies callers and step owners, and continues', async () => {
  let isDead = true
  const { engine, log } = fakeEngine(async () => {
    if (isDead) throw new EngineError('memory', 'Out of Memory Error: 3.1 GiB')
    return empty
  })
  const service = createEngineService({
    boot: async () => engine,
    fill() {
      log.push('fill')
      return atOnce
    },
  })
  service.onRestart(() => void log.push('steps are gone'))
  const dying = [service.engine.read('SELECT 1', options), service.engine.read('SELECT 2', options)]
  for (const one of dying) await expect(one).rejects.toThrow('ran out of memory and was restarted')
  expect(log).toEqual(['fill', 'restart', 'steps are gone', 'fill'])
  isDead = false
  expect(await service.engine.read('SELECT 3', options)).toBe(empty)
  expect(service.state.getSnapshot().status).toBe('ready')
})

it('leaves query errors unchanged', async () => {
  const { engine, log } = fakeEngine(() => Promise.reject(new EngineError('sql', 'no such column')))
  const service = createEngineService({ boot: async () => engine, fill: () => atOnce })
  await expect(service.engine.read('SELECT x', options)).rejects.toThrow('no such column')
  expect(log).toEqual([])
})

it('restarts by itself when it dies; callers wait for their table, not for all', async () => {
  const { engine, log } = fakeEngine(async () => empty)
  let die: () => void = () => undefined
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const service = createEngineService({
    async boot({ onDead }) {
      die = onDead
      return engine
    },
    fill() {
      const life = log.push('fill')
      return fillTables({
        tables: Promise.resolve(['first', 'long', 'sales'].map((name) => importedTable(name, {}))),
        isOver: () => false,
        async loadTable({ name }) {
          log.push(name)
          if (life > 1 && name !== 'sales') await gate
        },
      })
    },
  })
  await service.start()
  log.length = 1
  die()
  const read = service.engine.read('SELECT * FROM Sales', options)
  await vi.waitFor(() => expect(log).toEqual(['fill', 'restart', 'fill', 'first']))
  expect(service.state.getSnapshot().status).toBe('loading')
  open()
  expect(await read).toBe(empty)
  await service.start()
  expect(log.slice(3)).toEqual(['first', 'sales', 'long'])
  expect(service.state.getSnapshot().status).toBe('ready')
})
