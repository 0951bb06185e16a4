// Durable appends per second: the store against the driver alone, with the same rows and transactions.
import { join } from 'node:path'
import { alternate, timed } from './alternate.mjs'
import { inFolder } from './folders.mjs'
import { addRawSession, openRaw, prepareRawAppend } from './raw-database.mjs'
import { sampleDrafts, sampleSession } from './sample-events.mjs'
import { newSessionId, openStore } from './seed-sessions.mjs'
import { median } from './statistics.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */

/** @type {import('./figure.mjs').Measurement} */
export const appends = {
  title: 'Durable appends',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const rounds = isQuick ? 3 : 7
      const disk = (/** @type {string} */ name) => join(folder, `${name}.db`)
      const one = await compare(disk, { rounds, transactions: isQuick ? 40 : 100, batch: 1 })
      const many = await compare(disk, { rounds, transactions: isQuick ? 20 : 60, batch: 50 })
      const inMemory = await compare(() => ':memory:', { rounds, transactions: isQuick ? 40 : 100, batch: 50 })
      const together = await compareTogether(disk, { rounds, transactions: isQuick ? 5 : 10 })
      const goal = '≥ 0.6 ×'
      return [
        figure('appends of one event, synced', one, goal),
        figure('appends of 50 events, synced', many, goal),
        figure('appends of 50 events, no disk', inMemory),
        figure(`appends of one event by ${sessionsAtOnce} sessions at once, synced`, together),
      ]
    }),
}

/**
 * @param {string} name
 * @param {{ ours: number, theirs: number }} rates
 * @param {string} [goal]
 * @returns {Figure}
 */
const figure = (name, rates, goal) => ({
  name,
  unit: 'events/s',
  ...rates,
  against: 'raw driver',
  better: 'higher',
  ...(goal === undefined ? {} : { goal }),
})

/**
 * @param {(name: string) => string} fileOf
 * @param {{ rounds: number, transactions: number, batch: number }} plan
 */
async function compare(fileOf, { rounds, transactions, batch }) {
  const ours = await openOurs(fileOf(`ours-${batch}`))
  const theirs = await openTheirs(fileOf(`theirs-${batch}`))
  const events = transactions * batch
  const rate = (/** @type {number[]} */ times) => events / (median(times) / 1000)
  // Warm-up round: both sides compile their code.
  await ours.append(transactions, batch)
  theirs.append(transactions, batch)
  const times = await alternate(rounds, {
    ours: () => timed(() => ours.append(transactions, batch)),
    theirs: () => timed(() => theirs.append(transactions, batch)),
  })
  await ours.close()
  theirs.close()
  return { ours: rate(times.ours), theirs: rate(times.theirs) }
}

const sessionsAtOnce = 50

/**
 * Many sessions that write at the same time. The driver alone commits one transaction after the other.
 * @param {(name: string) => string} fileOf
 * @param {{ rounds: number, transactions: number }} plan
 */
async function compareTogether(fileOf, { rounds, transactions }) {
  const store = await openStore(fileOf('ours-together'))
  /** @type {Awaited<ReturnType<typeof openWriter>>[]} */
  const writers = []
  for (let index = 0; index < sessionsAtOnce; index += 1) writers.push(await openWriter(store))
  const theirs = await openTheirs(fileOf('theirs-together'))
  const ours = () => Promise.all(writers.map((writer) => writer.append(transactions, 1)))
  const events = transactions * sessionsAtOnce
  await ours()
  theirs.append(events, 1)
  const times = await alternate(rounds, {
    ours: () => timed(ours),
    theirs: () => timed(() => theirs.append(events, 1)),
  })
  await store.close()
  theirs.close()
  const rate = (/** @type {number[]} */ values) => events / (median(values) / 1000)
  return { ours: rate(times.ours), theirs: rate(times.theirs) }
}

/** @param {string} file */
async function openOurs(file) {
  const store = await openStore(file)
  const { append } = await openWriter(store)
  return { append, close: () => store.close() }
}

/** @param {import('./built.mjs').EventStore} store */
async function openWriter(store) {
  const sessionId = newSessionId()
  await store.append(sessionId, 0, [sampleSession])
  let seq = 1
  return {
    /**
     * @param {number} transactions
     * @param {number} batch
     */
    async append(transactions, batch) {
      for (let index = 0; index < transactions; index += 1) {
        await store.append(sessionId, seq, sampleDrafts(seq - 1, batch))
        seq += batch
      }
    },
  }
}

/** @param {string} file */
async function openTheirs(file) {
  const sessionId = newSessionId()
  const state = await sampleState(sessionId)
  const database = await openWithTables(file)
  const session = [sessionId, 1, 'idle', 'bench', 'local', state.createdAt, state.updatedAt, JSON.stringify(state)]
  addRawSession(database).run(session)
  const append = prepareRawAppend(database)
  let seq = 1
  return {
    /**
     * @param {number} transactions
     * @param {number} batch
     */
    append(transactions, batch) {
      for (let index = 0; index < transactions; index += 1) {
        const rows = sampleDrafts(seq - 1, batch).map((draft, offset) => {
          const id = `evt_${seq + offset}_0123456789abcdefghijklm`
          return [sessionId, seq + offset, id, state.createdAt, draft.type, null, null, JSON.stringify(draft.data), 1]
        })
        const entries = rows.map((row) => entryOf(row))
        append({ session: [seq + batch, state.updatedAt, session[7], sessionId, seq], events: rows, entries })
        seq += batch
      }
    },
    close: () => database.close(),
  }
}

const hash = '0123456789abcdef'.repeat(4)

/** @param {readonly unknown[]} row of an event */
function entryOf([sessionId, seq, , at, type]) {
  const detail = '{"toolName":"Bash","isError":false}'
  return [seq, at, 'agent', type, sessionId, seq, hash, `toolu_bench_${seq}`, detail, hash, hash]
}

/** @param {ReturnType<typeof newSessionId>} sessionId */
async function sampleState(sessionId) {
  const store = await openStore(':memory:')
  await store.append(sessionId, 0, [sampleSession])
  const state = await store.load(sessionId)
  await store.close()
  if (state === null) throw new Error('the sample session has no state')
  return state
}

/**
 * The store creates its tables and indexes.
 * @param {string} file
 */
async function openWithTables(file) {
  if (file !== ':memory:') {
    await (await openStore(file)).close()
    return openRaw(file)
  }
  return inFolder(async (folder) => {
    const source = join(folder, 'tables.db')
    await (await openStore(source)).close()
    const tables = openRaw(source)
    const made = openRaw(file)
    /** @type {any[]} */
    const statements = tables
      .prepare("select sql from sqlite_master where sql is not null and name not like 'sqlite%'")
      .all([])
    for (const { sql } of statements) made.prepare(sql).run([])
    tables.close()
    return made
  })
}
