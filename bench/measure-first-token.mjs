// The first token of a new session, and of the second turn in a live one, against the SDK alone: cold on both sides.
import { alternate } from './alternate.mjs'
import { loadBenchAgent, startBareSession } from './bare-sdk.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { median, range } from './statistics.mjs'
import { clientOf, isIdle, isStreamed, watchSession } from './watched-session.mjs'

/** @typedef {{ firstMs: number, secondMs: number }} Turns */
/** @typedef {import('./watched-session.mjs').Server} Server */

/** @type {import('./figure.mjs').Measurement} */
export const firstToken = {
  title: 'First token, model answers at once',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const model = await startHost('model', folder, { kind: 'at-once' })
      const modelUrl = model.opened.url
      const host = await startHost('quarterdeck', folder, { folder, backend: 'claude', modelUrl })
      try {
        const agent = await loadBenchAgent(folder)
        const runs = await alternate(isQuick ? 3 : 9, {
          ours: () => runOurs(host.opened),
          theirs: (round) => runTheirs(agent, { folder, modelUrl, name: `bare-${round}` }),
        })
        return [
          {
            ...figure('new session: POST to first token', runs, ({ firstMs }) => firstMs),
            goal: '≤ 0.4 × once warm, later',
          },
          figure('second turn of a live session', runs, ({ secondMs }) => secondMs),
        ]
      } finally {
        await host.close()
        await model.close()
      }
    }),
}

/**
 * @param {string} name
 * @param {{ ours: Turns[], theirs: Turns[] }} runs
 * @param {(turns: Turns) => number} pick
 * @returns {import('./figure.mjs').Figure}
 */
function figure(name, runs, pick) {
  const [ours, theirs] = [runs.ours.map(pick), runs.theirs.map(pick)]
  const sides = { ours: median(ours), theirs: median(theirs), against: 'bare SDK' }
  const note = `${range(ours)} | ${range(theirs)} ms`
  return { name, unit: 'ms', ...sides, better: 'lower', note }
}

/**
 * @param {Server} server
 * @returns {Promise<Turns>}
 */
async function runOurs(server) {
  const client = clientOf(server)
  const startedAt = performance.now()
  const { sessionId } = await client.createSession({ agent: 'bench', message: 'Are you there?' })
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
 * @param {{ folder: string, modelUrl: string, name: string }} place
 * @returns {Promise<Turns>}
 */
async function runTheirs(agent, place) {
  const startedAt = performance.now()
  const session = await startBareSession(agent, place)
  const firstMs = (await firstDeltaAt(session, 'Are you there?')) - startedAt
  const secondAt = performance.now()
  const secondMs = (await firstDeltaAt(session, 'And now?')) - secondAt
  await session.close()
  return { firstMs, secondMs }
}

/**
 * @param {Awaited<ReturnType<typeof startBareSession>>} session
 * @param {string} text
 */
async function firstDeltaAt(session, text) {
  let at = Number.NaN
  await session.turn(text, (message) => {
    const isText = message.type === 'stream_event' && message.event.delta?.type === 'text_delta'
    if (isText && Number.isNaN(at)) at = performance.now()
  })
  if (Number.isNaN(at)) throw new Error('the SDK gave no text')
  return at
}
