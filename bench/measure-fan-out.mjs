// One busy session with many readers: CPU of the server process, delay of events, and lost events.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@quarterdeck/client'
import { alternate } from './alternate.mjs'
import { nowNs } from './clock.mjs'
import { inFolder } from './folders.mjs'
import { stampIn } from './paced-text.mjs'
import { readSse } from './sse-client.mjs'
import { startHost } from './start-host.mjs'
import { median, quantile } from './statistics.mjs'

/** @typedef {import('./start-host.mjs').Host & { opened: any }} Host */
/** @typedef {{ cpuMs: number, delaysMs: readonly number[], lost: number }} Run */
/** @typedef {{ clients: number, count: number, perSecond: number }} Plan */

/** @type {import('./figure.mjs').Measurement} */
export const fanOut = {
  title: 'SSE fan-out',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const plan = { clients: 200, count: isQuick ? 200 : 400, perSecond: 100 }
      const ours = await startHost('quarterdeck', folder, { folder, backend: 'paced' })
      const theirs = await startHost('bare-stream', folder)
      try {
        const noReaders = { ...plan, clients: 0 }
        await runOurs(ours, { ...plan, count: 50 }) // both sides run compiled code
        await runTheirs(theirs, { ...plan, count: 50 })
        const idle = await alternate(1, {
          ours: () => runOurs(ours, noReaders),
          theirs: () => runTheirs(theirs, noReaders),
        })
        const runs = await alternate(isQuick ? 2 : 4, {
          ours: () => runOurs(ours, plan),
          theirs: () => runTheirs(theirs, plan),
        })
        return figuresOf(plan, runs, idle)
      } finally {
        await ours.close()
        await theirs.close()
      }
    }),
}

/**
 * @param {Plan} plan
 * @param {{ ours: Run[], theirs: Run[] }} runs
 * @param {{ ours: Run[], theirs: Run[] }} idle
 * @returns {import('./figure.mjs').Figure[]}
 */
function figuresOf({ clients, count, perSecond }, runs, idle) {
  const cpu = (/** @type {Run[]} */ side) => median(side.map(({ cpuMs }) => (cpuMs * 1000) / (clients * count)))
  const delays = (/** @type {Run[]} */ side) => side.flatMap(({ delaysMs }) => delaysMs)
  const lost = (/** @type {Run[]} */ side) => side.reduce((sum, run) => sum + run.lost, 0)
  const common = { against: 'bare Node stream', better: /** @type {const} */ ('lower') }
  const title = `${clients} readers × ${perSecond} events/s`
  return [
    {
      ...common,
      name: `${title}: CPU per delivery`,
      unit: 'µs/event',
      ours: cpu(runs.ours),
      theirs: cpu(runs.theirs),
      goal: '≤ 1.5 ×',
    },
    {
      ...common,
      name: '  of which for the readers alone',
      unit: 'µs/event',
      ours: cpu(runs.ours) - cpu(idle.ours),
      theirs: cpu(runs.theirs) - cpu(idle.theirs),
      note: 'without the cost of creating, storing and syncing each event',
    },
    ...[0.5, 0.99].map((share) => ({
      ...common,
      name: `${title}: delay p${share * 100}`,
      unit: 'ms',
      ours: quantile(delays(runs.ours), share),
      theirs: quantile(delays(runs.theirs), share),
      note: 'ours is measured from the hand-over to the engine, including the commit and its sync',
    })),
    { ...common, name: `${title}: events lost`, unit: 'events', ours: lost(runs.ours), theirs: lost(runs.theirs) },
  ]
}

/**
 * @param {Host} host
 * @param {Plan} plan
 * @returns {Promise<Run>}
 */
async function runOurs(host, plan) {
  const { url, token } = host.opened
  const client = createClient({ baseUrl: url, token })
  const { sessionId } = await client.createSession({ agent: 'bench' })
  const readers = openReaders(`${url}/v1/sessions/${sessionId}/events`, plan, token)
  await readers.opened
  // Does not poll the server during the measurement, because the other side is not polled either.
  const turn = async () => {
    await client.sendMessage(sessionId, { content: JSON.stringify(plan) })
    await sleep((plan.count * 1000) / plan.perSecond)
  }
  const run = await measureRun(host, readers, turn)
  while ((await client.getSession(sessionId)).session.status !== 'idle') await sleep(100)
  return run
}

/**
 * @param {Host} host
 * @param {Plan} plan
 * @returns {Promise<Run>}
 */
async function runTheirs(host, plan) {
  const readers = openReaders(host.opened.url, plan)
  await readers.opened
  return measureRun(host, readers, () => host.call('stream', plan))
}

/**
 * @param {Host} host
 * @param {ReturnType<typeof openReaders>} readers
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Run>}
 */
async function measureRun(host, readers, work) {
  const before = await host.call('cpu')
  await work()
  await readers.complete()
  const cpuMs = ((await host.call('cpu')) - before) / 1000
  readers.close()
  return { cpuMs, delaysMs: readers.delaysMs, lost: readers.missing() }
}

/**
 * @param {string} url
 * @param {Plan} plan
 * @param {string} [token]
 */
function openReaders(url, { clients, count }, token) {
  /** @type {number[]} */
  const delaysMs = []
  const onFrame = (/** @type {string} */ frame) => {
    const stamp = stampIn(frame)
    if (stamp !== null) delaysMs.push((nowNs() - stamp) / 1e6)
  }
  const readers = Array.from({ length: clients }, () => readSse(url, { onFrame, ...(token ? { token } : {}) }))
  const missing = () => clients * count - delaysMs.length
  return {
    delaysMs,
    missing,
    opened: Promise.all(readers.map(({ opened }) => opened)),
    /** Late events are not lost: waits for events in flight, up to a limit. */
    async complete() {
      for (let tries = 0; tries < 200 && missing() > 0; tries += 1) await sleep(50)
    },
    close() {
      for (const reader of readers) reader.close()
    },
  }
}
