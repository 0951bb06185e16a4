// The memory of idle sessions: many hibernated sessions on our side, waiting processes on the other.
import { setTimeout as sleep } from 'node:timers/promises'
import { loadBenchAgent, startBareSession } from './bare-sdk.mjs'
import { missing } from './figure.mjs'
import { inFolder } from './folders.mjs'
import { descendantsOf } from './process-tree.mjs'
import { startHost } from './start-host.mjs'
import { clientOf, isIdle, watchSession } from './watched-session.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('./start-host.mjs').Host & { opened: any }} Host */
/** @typedef {import('@quarterdeck/protocol').SessionId} SessionId */

const perSession = 'resident memory per idle session'
const goal = '≤ 0.1 MiB'
const processes = { hibernate_after: '1s', spares: false }

/** @type {import('./figure.mjs').Measurement} */
export const idleMemory = {
  title: 'Idle sessions',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      if (process.platform !== 'linux')
        return [missing(perSession, 'memory is read from /proc, which is missing on this machine', goal)]
      const model = await startHost('model', folder, { kind: 'at-once' })
      const modelUrl = model.opened.url
      try {
        const many = await measureMany(folder, isQuick ? 300 : 1000)
        const few = await measureFew({ folder, modelUrl, count: isQuick ? 2 : 4 })
        const bare = await measureBare({ folder, modelUrl, count: isQuick ? 2 : 4 })
        if (many === null || few === null) return [missing(perSession, 'this server does not hibernate', goal)]
        const against = 'bare SDK, process waiting'
        return [
          {
            name: perSession,
            unit: 'MiB',
            ours: many.mib,
            theirs: bare.mib,
            against,
            better: 'lower',
            goal,
            note: `${many.count.toLocaleString('en-US')} hibernated after a turn each, their processes gone`,
          },
          {
            name: 'processes per idle session',
            unit: '',
            ours: few.processes,
            theirs: bare.processes,
            against,
            better: 'lower',
            note: `${few.count} of the real CLI, ${few.before} processes while they were awake`,
          },
        ]
      } finally {
        await model.close()
      }
    }),
}

/**
 * The cost of the server alone, with an agent without a process: starting the CLI a thousand times takes an hour.
 * @param {string} folder
 * @param {number} count
 */
async function measureMany(folder, count) {
  const host = await startHost('quarterdeck', folder, { folder, backend: 'paced', data: 'many', processes })
  try {
    await takeTurns(host, 200) // warm up compiled code, pools and caches
    const before = await host.call('residentMib')
    const isAsleep = await takeTurns(host, count)
    if (!isAsleep) return null
    return { count, mib: Math.max(0, (await host.call('residentMib')) - before) / count }
  } finally {
    await host.close()
  }
}

/**
 * Returns false if the sessions do not hibernate.
 * @param {Host} host
 * @param {number} count
 */
async function takeTurns(host, count) {
  const client = clientOf(host.opened)
  const message = JSON.stringify({ count: 5, perSecond: 1000 })
  /** @type {SessionId[]} */
  const sessions = []
  for (let index = 0; index < count; index += 1) {
    sessions.push((await client.createSession({ agent: 'bench', message })).sessionId)
  }
  return areAsleep(host, sessions)
}

/**
 * @param {Host} host
 * @param {readonly SessionId[]} sessions
 */
async function areAsleep(host, sessions) {
  const client = clientOf(host.opened)
  const awake = new Set(sessions)
  for (let tries = 0; tries < 240 && awake.size > 0; tries += 1) {
    for (const sessionId of awake) {
      if (!(await client.getSession(sessionId)).session.isHibernated) break
      awake.delete(sessionId)
    }
    if (awake.size > 0) await sleep(250)
  }
  return awake.size === 0
}

/**
 * The real CLI: the processes that remain after its sessions hibernate.
 * @param {{ folder: string, modelUrl: string, count: number }} plan
 */
async function measureFew({ folder, modelUrl, count }) {
  const host = await startHost('quarterdeck', folder, { folder, backend: 'claude', data: 'few', modelUrl, processes })
  try {
    const client = clientOf(host.opened)
    /** @type {SessionId[]} */
    const sessions = []
    let before = 0
    for (let index = 0; index < count; index += 1) {
      const { sessionId } = await client.createSession({ agent: 'bench' })
      const watched = watchSession(host.opened, sessionId)
      await watched.opened
      const idle = watched.next(isIdle)
      await client.sendMessage(sessionId, { content: 'Are you there?' })
      await idle
      before = Math.max(before, (await descendantsOf(host.opened.pid)).length)
      watched.close()
      sessions.push(sessionId)
    }
    if (!(await areAsleep(host, sessions))) return null
    return { count, before, processes: (await descendantsOf(host.opened.pid)).length / count }
  } finally {
    await host.close()
  }
}

/** @param {{ folder: string, modelUrl: string, count: number }} plan */
async function measureBare({ folder, modelUrl, count }) {
  const agent = await loadBenchAgent(folder)
  const known = new Set((await descendantsOf(process.pid)).map(({ pid }) => pid))
  const opened = []
  try {
    for (let index = 0; index < count; index += 1) {
      const session = await startBareSession(agent, { folder, modelUrl, name: `idle-${index}` })
      opened.push(session)
      await session.turn('Are you there?', () => undefined)
    }
    const below = (await descendantsOf(process.pid)).filter(({ pid }) => !known.has(pid))
    const mib = below.reduce((sum, { residentMib }) => sum + (Number.isNaN(residentMib) ? 0 : residentMib), 0)
    return { mib: mib / count, processes: below.length / count }
  } finally {
    await Promise.allSettled(opened.map((session) => session.close()))
  }
}
