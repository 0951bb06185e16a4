// Time to the first token: a new session with and without a spare process, and the second turn of a live session,
// against the SDK alone with the same options.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { alternate } from './alternate.mjs'
import { firstDeltaAt, loadBenchAgent, startBareSession } from './bare-sdk.mjs'
import { missing } from './figure.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { median, range } from './statistics.mjs'
import { clientOf, isIdle, isStreamed, watchSession } from './watched-session.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {{ firstMs: number, secondMs: number }} Turns */
/** @typedef {import('./watched-session.mjs').Server} Server */

const ways = {
  shared: { agent: 'bench', name: 'new session, process kept ready, shared workspace', goal: '≤ 0.4 ×' },
  copy: { agent: 'bench-copy', name: 'new session, process kept ready, its own folder', goal: '≤ 0.55 ×' },
}

/** @type {import('./figure.mjs').Measurement} */
export const firstToken = {
  title: 'First token, model answers at once',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const model = await startHost('model', folder, { kind: 'at-once' })
      const modelUrl = model.opened.url
      const common = { folder, backend: 'claude', modelUrl }
      const cold = await startHost('quarterdeck', folder, { ...common, data: 'cold', processes: { spares: false } })
      const warm = await startHost('quarterdeck', folder, { ...common, data: 'warm' })
      try {
        const agent = await loadBenchAgent(folder)
        const rounds = isQuick ? 3 : 9
        const bare = (/** @type {string} */ name, /** @type {{ cwd?: string }} */ at = {}) =>
          runTheirs(agent, { folder, modelUrl, name, ...at })
        const runs = await alternate(rounds, {
          ours: () => runOurs(cold.opened, 'bench'),
          theirs: (round) => bare(`bare-${round}`),
        })
        /** @type {Figure[]} */
        const figures = [
          figure('new session, nothing kept ready', runs, ({ firstMs }) => firstMs),
          figure('second turn of a live session', runs, ({ secondMs }) => secondMs),
        ]
        for (const [key, { agent: agentName, name, goal }] of Object.entries(ways)) {
          if (!(await hasSpare(warm.opened, agentName))) {
            figures.push(missing(name, 'this server keeps no process ready', goal))
            continue
          }
          const runs = await alternate(rounds, {
            ours: async () => {
              await hasSpare(warm.opened, agentName)
              return runOurs(warm.opened, agentName)
            },
            theirs: async (round) => bare(`${key}-${round}`, key === 'copy' ? await newFolder(folder, round) : {}),
          })
          figures.push({ ...figure(name, runs, ({ firstMs }) => firstMs), goal })
        }
        return figures
      } finally {
        await warm.close()
        await cold.close()
        await model.close()
      }
    }),
}

/**
 * Makes sure that a spare process is ready, as opening the page of an agent does.
 * @param {Server} server
 * @param {string} agent
 */
async function hasSpare(server, agent) {
  for (let tries = 0; tries < 60; tries += 1) {
    const { isReady } = await clientOf(server).warmAgent(agent)
    if (isReady) return true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return false
}

/**
 * @param {string} folder
 * @param {number} round
 */
async function newFolder(folder, round) {
  const cwd = join(folder, 'bare-workspaces', String(round))
  await mkdir(cwd, { recursive: true })
  return { cwd }
}

/**
 * @param {string} name
 * @param {{ ours: Turns[], theirs: Turns[] }} runs
 * @param {(turns: Turns) => number} pick
 * @returns {Figure}
 */
function figure(name, runs, pick) {
  const [ours, theirs] = [runs.ours.map(pick), runs.theirs.map(pick)]
  const sides = { ours: median(ours), theirs: median(theirs), against: 'bare SDK' }
  const note = `${range(ours)} | ${range(theirs)} ms`
  return { name, unit: 'ms', ...sides, better: 'lower', note }
}

/**
 * @param {Server} server
 * @param {string} agent
 * @returns {Promise<Turns>}
 */
async function runOurs(server, agent) {
  const client = clientOf(server)
  const startedAt = performance.now()
  const { sessionId } = await client.createSession({ agent, message: 'Are you there?' })
  const watched = watchSession(server, sessionId)
  const idle = watched.next(isIdle)
  await watched.next(isStreamed)
  const firstMs = performance.now() - startedAt
  await idle
  const secondAt = performance.now()
  const token = watched.next(isStreamed)
  const idleAgain = watched.next(isIdle)
  await client.sendMessage(sessionId, { content: 'And now?' })
  await token
  const secondMs = performance.now() - secondAt
  await idleAgain
  watched.close()
  await client.close(sessionId)
  return { firstMs, secondMs }
}

/**
 * @param {import('./bare-sdk.mjs').BenchAgent} agent
 * @param {import('./bare-sdk.mjs').BareSessionOptions} options
 * @returns {Promise<Turns>}
 */
async function runTheirs(agent, options) {
  const startedAt = performance.now()
  const session = await startBareSession(agent, options)
  const firstMs = (await firstDeltaAt(session, 'Are you there?')).at - startedAt
  const secondAt = performance.now()
  const secondMs = (await firstDeltaAt(session, 'And now?')).at - secondAt
  await session.close()
  return { firstMs, secondMs }
}
