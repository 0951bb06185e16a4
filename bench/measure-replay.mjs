// Replays a session of 10,000 events to one reader, as pages and as a stream, against reading the rows with the driver.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@quarterdeck/client'
import { dataFolders } from '@quarterdeck/engine'
import { alternate, timed } from './alternate.mjs'
import { inFolder } from './folders.mjs'
import { openRaw, prepareRawRead } from './raw-database.mjs'
import { seedLog } from './seed-sessions.mjs'
import { readSse } from './sse-client.mjs'
import { startHost } from './start-host.mjs'
import { median } from './statistics.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('@quarterdeck/protocol').SessionId} SessionId */
/** @typedef {{ url: string, token: string, sessionId: SessionId, count: number }} ReplayTarget */

/** @type {import('./figure.mjs').Measurement} */
export const replay = {
  title: 'Replay of a session',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const count = isQuick ? 4000 : 10_000
      const rounds = isQuick ? 5 : 11
      const { database, databaseFolder } = dataFolders(join(folder, 'data'))
      await mkdir(databaseFolder, { recursive: true })
      const sessionId = await seedLog(database, count)
      const host = await startHost('quarterdeck', folder, { folder, backend: 'paced' })
      try {
        const target = { ...host.opened, sessionId, count }
        const raw = openRaw(database)
        const readRaw = prepareRawRead(raw)
        const theirs = async () => timed(() => readRows(readRaw, target))
        const ways = { 'JSON pages': readPages, 'SSE stream': readStream, 'SSE through the typed client': readTyped }
        /** @type {Figure[]} */
        const figures = []
        for (const [name, read] of Object.entries(ways)) {
          for (let warm = 0; warm < 3; warm += 1) await read(target)
          const times = await alternate(rounds, { ours: () => timed(() => read(target)), theirs })
          const rate = (/** @type {number[]} */ values) => count / (median(values) / 1000)
          const goal = name === 'SSE through the typed client' ? {} : { goal: '≥ 50,000 events/s' }
          const sides = { ours: rate(times.ours), theirs: rate(times.theirs), against: 'raw rows, parsed' }
          figures.push({ name: `${count} events as ${name}`, unit: 'events/s', ...sides, better: 'higher', ...goal })
        }
        raw.close()
        return figures
      } finally {
        await host.close()
      }
    }),
}

/** @param {ReplayTarget} target */
async function readPages({ url, token, sessionId, count }) {
  for (let after = 0; after < count; ) {
    const address = `${url}/v1/sessions/${sessionId}/events?after=${after}&limit=5000`
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    const page = JSON.parse(await response.text())
    after = page.lastSeq
  }
}

/** @param {ReplayTarget} target */
async function readStream({ url, token, sessionId, count }) {
  let seen = 0
  const reader = readSse(`${url}/v1/sessions/${sessionId}/events`, {
    token,
    onFrame() {
      seen += 1
      if (seen === count) reader.close()
    },
  })
  await reader.opened
  await reader.ended
  if (seen !== count) throw new Error(`${seen} of ${count} events arrived`)
}

/** @param {ReplayTarget} target */
async function readTyped({ url, token, sessionId, count }) {
  const stop = new AbortController()
  for await (const event of createClient({ baseUrl: url, token }).follow(sessionId, { signal: stop.signal })) {
    if ('seq' in event && event.seq === count) break
  }
  stop.abort()
}

/**
 * @param {ReturnType<typeof prepareRawRead>} read
 * @param {ReplayTarget} target
 */
function readRows(read, { sessionId, count }) {
  for (let after = 0; after < count; ) {
    const rows = read(sessionId, after, 5000)
    for (const row of rows) JSON.parse(row.data)
    after = rows.at(-1)?.seq ?? count
  }
}
