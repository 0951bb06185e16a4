// Time to the first token of a hibernated session: the session is opened, the user types for a moment, then sends.
import { setTimeout as sleep } from 'node:timers/promises'
import { alternate } from './alternate.mjs'
import { firstDeltaAt, loadBenchAgent, startBareSession } from './bare-sdk.mjs'
import { missing } from './figure.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { median, range } from './statistics.mjs'
import { clientOf, isIdle, isStreamed, watchSession } from './watched-session.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('./watched-session.mjs').Server} Server */
/** @typedef {import('@quarterdeck/protocol').SessionId} SessionId */

const name = 'hibernated session, opened and then messaged'
const goal = '≤ 0.35 ×'
/** The time between opening a session and sending the first message. */
const typingMs = 3000
/** Longer than the typing time, so that the woken session does not hibernate again. */
const hibernateAfter = '8s'

/** @type {import('./figure.mjs').Measurement} */
export const hibernated = {
  title: 'First token of a hibernated session, model answers at once',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const model = await startHost('model', folder, { kind: 'at-once' })
      const modelUrl = model.opened.url
      const processes = { hibernate_after: hibernateAfter, spares: false }
      const host = await startHost('quarterdeck', folder, { folder, backend: 'claude', modelUrl, processes })
      try {
        const rounds = isQuick ? 3 : 7
        const agent = await loadBenchAgent(folder)
        const options = { folder, modelUrl, name: 'bare' }
        const known = await prepare(rounds, { ours: host.opened, theirs: { agent, options } })
        if (!(await areAsleep(host.opened, known.ours))) return [missing(name, 'this server does not hibernate', goal)]
        const runs = await alternate(rounds, {
          ours: (round) => messageOurs(host.opened, known.ours[round], { isOpened: true }),
          theirs: (round) => resumeTheirs(agent, { ...options, resume: known.theirs[round] ?? '' }),
        })
        await areAsleep(host.opened, known.ours)
        const unopened = await alternate(rounds, {
          ours: (round) => messageOurs(host.opened, known.ours[round], { isOpened: false }),
          theirs: (round) => resumeTheirs(agent, { ...options, resume: known.theirs[round] ?? '' }),
        })
        return [{ ...figure(name, runs), goal }, figure('hibernated session, messaged without a warning', unopened)]
      } finally {
        await host.close()
        await model.close()
      }
    }),
}

/**
 * @param {string} title
 * @param {{ ours: number[], theirs: number[] }} runs
 * @returns {Figure}
 */
const figure = (title, { ours, theirs }) => ({
  name: title,
  unit: 'ms',
  ours: median(ours),
  theirs: median(theirs),
  against: 'bare SDK resume',
  better: 'lower',
  note: `${range(ours)} | ${range(theirs)} ms`,
})

/**
 * Creates sessions with one finished turn on both sides.
 * @param {number} count
 * @param {{ ours: Server, theirs: { agent: import('./bare-sdk.mjs').BenchAgent, options:
 * import('./bare-sdk.mjs').BareSessionOptions } }} sides
 */
async function prepare(count, { ours, theirs: { agent, options } }) {
  const client = clientOf(ours)
  /** @type {SessionId[]} */
  const sessions = []
  /** @type {string[]} */
  const resumable = []
  for (let index = 0; index < count; index += 1) {
    const { sessionId } = await client.createSession({ agent: 'bench' })
    const watched = watchSession(ours, sessionId)
    await watched.opened
    const idle = watched.next(isIdle)
    await client.sendMessage(sessionId, { content: 'Remember this.' })
    await idle
    watched.close()
    sessions.push(sessionId)
    const bare = await startBareSession(agent, { ...options, name: `first-${index}` })
    resumable.push((await firstDeltaAt(bare, 'Remember this.')).sessionId)
    await bare.close()
  }
  return { ours: sessions, theirs: resumable }
}

/**
 * @param {Server} server
 * @param {readonly SessionId[]} sessions
 */
async function areAsleep(server, sessions) {
  const client = clientOf(server)
  for (let tries = 0; tries < 120; tries += 1) {
    const states = await Promise.all(sessions.map((sessionId) => client.getSession(sessionId)))
    if (states.every(({ session }) => session.isHibernated)) return true
    await sleep(250)
  }
  return false
}

/**
 * @param {Server} server
 * @param {SessionId | undefined} sessionId
 * @param {{ isOpened: boolean }} way
 */
async function messageOurs(server, sessionId, { isOpened }) {
  if (sessionId === undefined) throw new Error('no session is left for this round')
  const client = clientOf(server)
  const watched = watchSession(server, sessionId, (await client.getSession(sessionId)).session.seq)
  await watched.opened
  if (isOpened) {
    await client.wake(sessionId)
    await sleep(typingMs)
  }
  const firstPiece = watched.next(isStreamed)
  const idle = watched.next(isIdle)
  const sentAt = performance.now()
  await client.sendMessage(sessionId, { content: 'Go on.' })
  await firstPiece
  const firstMs = performance.now() - sentAt
  await idle
  watched.close()
  return firstMs
}

/**
 * @param {import('./bare-sdk.mjs').BenchAgent} agent
 * @param {import('./bare-sdk.mjs').BareSessionOptions} options
 */
async function resumeTheirs(agent, options) {
  const startedAt = performance.now()
  const session = await startBareSession(agent, options)
  const { at } = await firstDeltaAt(session, 'Go on.')
  await session.close()
  return at - startedAt
}
