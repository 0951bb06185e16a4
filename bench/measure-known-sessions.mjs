// A server with 1,000, 10,000 and 100,000 sessions: the cost of a call must not depend on their number.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@quarterdeck/client'
import { dataFolders } from '@quarterdeck/engine'
import { timed } from './alternate.mjs'
import { inFolder } from './folders.mjs'
import { seedSessions } from './seed-sessions.mjs'
import { startHost } from './start-host.mjs'
import { median } from './statistics.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {{ client: ReturnType<typeof createClient>, ids: readonly import('@quarterdeck/protocol').SessionId[] }} CallTarget */

const smallest = 1000

/** @type {Readonly<Record<string, (target: CallTarget, round: number) => Promise<unknown>>>} */
const calls = {
  'page of the newest 50': ({ client }) => client.listSessions({ limit: 50 }),
  'page by status': ({ client }) => client.listSessions({ limit: 50, status: 'completed' }),
  'page by agent': ({ client }) => client.listSessions({ limit: 50, agent: 'bench' }),
  'page by tag': ({ client }) => client.listSessions({ limit: 50, tag: 'bench' }),
  'opening one': ({ client, ids }, round) => client.getSession(pick(ids, round)),
  'renaming one (an append)': ({ client, ids }, round) =>
    client.changeSession(pick(ids, round), { title: `Renamed ${round}` }),
}

/** @type {import('./figure.mjs').Measurement} */
export const knownSessions = {
  title: 'Sessions known to one server, over HTTP',
  async measure({ isQuick }) {
    const sizes = isQuick ? [smallest, 10_000] : [smallest, 10_000, 100_000]
    const rounds = isQuick ? 20 : 60
    /** @type {Map<number, Awaited<ReturnType<typeof measureSize>>>} */
    const perSize = new Map()
    await measureSize(smallest, rounds) // warm up compiled code
    for (const size of sizes) perSize.set(size, await measureSize(size, rounds))
    const base = perSize.get(smallest)
    return [...perSize].flatMap(([size, times]) =>
      [...times].map(([call, ours]) => figureOf(call, size, { ours, base: base?.get(call) ?? null })),
    )
  },
}

/**
 * @param {string} call
 * @param {number} size
 * @param {{ ours: number, base: number | null }} times
 * @returns {Figure}
 */
function figureOf(call, size, { ours, base }) {
  const name = `${call}, ${size.toLocaleString('en-US')} known`
  const isBase = size === smallest
  return {
    name,
    unit: 'ms',
    ours,
    theirs: isBase ? null : base,
    against: 'at 1,000',
    better: 'lower',
    ...(isBase ? {} : { goal: 'about 1 ×' }),
  }
}

/**
 * @param {number} size
 * @param {number} rounds
 */
const measureSize = (size, rounds) =>
  inFolder(async (folder) => {
    const { database, databaseFolder } = dataFolders(join(folder, 'data'))
    await mkdir(databaseFolder, { recursive: true })
    await seedSessions(database, size)
    const host = await startHost('quarterdeck', folder, { folder, backend: 'paced' })
    try {
      const client = createClient({ baseUrl: host.opened.url, token: host.opened.token })
      const { sessions } = await client.listSessions({ limit: 200, status: 'idle' })
      const target = { client, ids: sessions.map(({ sessionId }) => sessionId) }
      /** @type {Map<string, number>} */
      const times = new Map()
      for (const [name, call] of Object.entries(calls)) {
        times.set(name, await medianOf(rounds, (round) => call(target, round)))
      }
      return times
    } finally {
      await host.close()
    }
  })

/**
 * @param {number} rounds
 * @param {(round: number) => Promise<unknown>} work
 */
async function medianOf(rounds, work) {
  for (let round = 0; round < 5; round += 1) await work(round)
  const times = []
  for (let round = 0; round < rounds; round += 1) times.push(await timed(() => work(5 + round)))
  return median(times)
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} round
 * @returns {Item}
 */
function pick(items, round) {
  const item = items[round % items.length]
  if (item === undefined) throw new Error('there is no session to pick')
  return item
}
