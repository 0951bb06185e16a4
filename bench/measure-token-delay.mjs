// What Quarterdeck adds to each token on its way from the CLI to a reader, with one and with ten streaming sessions.

import { alternate } from './alternate.mjs'
import { loadBenchAgent, startBareSession } from './bare-sdk.mjs'
import { nowNs } from './clock.mjs'
import { inFolder } from './folders.mjs'
import { stampsOfMessage, stampsOfText } from './stamped-text.mjs'
import { startHost } from './start-host.mjs'
import { quantile } from './statistics.mjs'
import { clientOf, isIdle, watchSession } from './watched-session.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('@quarterdeck/protocol').SessionId} SessionId */
/** @typedef {import('./start-host.mjs').Host & { opened: any }} Host */
/** @typedef {{ sdkMs: number[], addedMs: number[], beyondMs: number[], totalMs: number[], frames: number }} Delays */

/** As live-session.ts of the engine has it: tokens of one message within it travel as one. */
const windowMs = 25
const everyMs = 20

/** @type {import('./figure.mjs').Measurement} */
export const tokenDelay = {
  title: `Delay per token, one every ${everyMs} ms, merged for ${windowMs} ms`,
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const count = isQuick ? 60 : 150
      const model = await startHost('model', folder, { kind: 'stamped', count, everyMs })
      const modelUrl = model.opened.url
      const host = await startHost('quarterdeck', folder, { folder, backend: 'claude', modelUrl })
      try {
        const agent = await loadBenchAgent(folder)
        /** @type {Figure[]} */
        const figures = []
        for (const sessions of [1, 10]) {
          const theirs = await openTheirs(sessions, (index) =>
            startBareSession(agent, { folder, modelUrl, name: `bare-${sessions}-${index}` }),
          )
          const ours = await openOurs(sessions, host)
          const runs = await alternate(isQuick ? 1 : 3, { ours: ours.stream, theirs: theirs.stream })
          await ours.close()
          await theirs.close()
          figures.push(...figuresOf(sessions, { runs, expected: count * sessions }))
        }
        return figures
      } finally {
        await host.close()
        await model.close()
      }
    }),
}

/**
 * @param {number} sessions
 * @param {{ runs: { ours: Delays[], theirs: number[][] }, expected: number }} measured
 * @returns {Figure[]}
 */
function figuresOf(sessions, { runs, expected }) {
  const theirs = runs.theirs.flat()
  const pick = (/** @type {keyof Omit<Delays, 'frames'>} */ key) => runs.ours.flatMap((run) => run[key])
  const common = { unit: 'ms', better: /** @type {const} */ ('lower') }
  const prefix = `${sessions} session${sessions === 1 ? '' : 's'}`
  const lost = (/** @type {number} */ rounds, /** @type {number} */ seen) => expected * rounds - seen
  const total = pick('totalMs')
  return [
    ...[0.5, 0.99].flatMap((share) => [
      {
        ...common,
        name: `${prefix}: model to reader p${share * 100}`,
        ours: quantile(total, share),
        theirs: quantile(theirs, share),
        against: 'bare SDK iterator',
      },
      {
        ...common,
        name: `${prefix}: added, iterator to reader, p${share * 100}`,
        ours: quantile(pick('addedMs'), share),
        theirs: quantile(pick('sdkMs'), share),
        against: 'model to the same iterator',
      },
      {
        ...common,
        name: `${prefix}: of which beyond the window p${share * 100}`,
        ours: quantile(pick('beyondMs'), share),
        theirs: null,
        against: '',
        goal: share === 0.5 ? '≤ 2 ms' : '≤ 10 ms',
        note: 'first token of each frame',
      },
    ]),
    {
      ...common,
      name: `${prefix}: tokens lost`,
      unit: 'tokens',
      ours: lost(runs.ours.length, total.length),
      theirs: lost(runs.theirs.length, theirs.length),
      against: 'bare SDK',
      note: `${runs.ours.reduce((sum, run) => sum + run.frames, 0)} frames for ${total.length} tokens`,
    },
  ]
}

/**
 * @param {number} sessions
 * @param {(index: number) => ReturnType<typeof startBareSession>} start
 */
async function openTheirs(sessions, start) {
  /** @type {Awaited<ReturnType<typeof startBareSession>>[]} */
  const opened = []
  for (let index = 0; index < sessions; index += 1) {
    const session = await start(index) // one after the other: cold starts do not parallelise
    await session.turn('Warm up.', () => undefined)
    opened.push(session)
  }
  return {
    async stream() {
      /** @type {number[]} */
      const delaysMs = []
      const onMessage = (/** @type {unknown} */ message) => {
        const at = nowNs()
        for (const stamp of stampsOfMessage(message)) delaysMs.push((at - stamp) / 1e6)
      }
      await Promise.all(opened.map((session) => session.turn('Go on.', onMessage)))
      return delaysMs
    },
    async close() {
      await Promise.all(opened.map((session) => session.close()))
    },
  }
}

/**
 * @param {number} sessions
 * @param {Host} host
 */
async function openOurs(sessions, host) {
  const client = clientOf(host.opened)
  /** @type {{ sessionId: SessionId, watched: import('./watched-session.mjs').WatchedSession }[]} */
  const opened = []
  for (let index = 0; index < sessions; index += 1) {
    const { sessionId } = await client.createSession({ agent: 'bench' })
    const watched = watchSession(host.opened, sessionId)
    await watched.opened
    const idle = watched.next(isIdle)
    await client.sendMessage(sessionId, { content: 'Warm up.' })
    await idle
    opened.push({ sessionId, watched })
  }
  await host.call('taps')
  /** @type {{ at: number, stamps: number[] }[]} */
  let frames = []
  for (const { watched } of opened) {
    watched.listen((event) => {
      if (event.type === 'AgentStreamToken') frames.push({ at: nowNs(), stamps: stampsOfText(event.data.text) })
    })
  }
  return {
    async stream() {
      frames = []
      const idle = opened.map(({ watched }) => watched.next(isIdle))
      await Promise.all(opened.map(({ sessionId }) => client.sendMessage(sessionId, { content: 'Go on.' })))
      await Promise.all(idle)
      return delaysOf(frames, new Map(await host.call('taps')))
    },
    async close() {
      for (const { sessionId, watched } of opened) {
        watched.close()
        await client.close(sessionId)
      }
    },
  }
}

/**
 * @param {readonly { at: number, stamps: readonly number[] }[]} frames
 * @param {ReadonlyMap<number, number>} heard
 * @returns {Delays}
 */
function delaysOf(frames, heard) {
  /** @type {Delays} */
  const delays = { sdkMs: [], addedMs: [], beyondMs: [], totalMs: [], frames: frames.length }
  for (const { at, stamps } of frames) {
    for (const [place, stamp] of stamps.entries()) {
      const iteratorAt = heard.get(stamp)
      if (iteratorAt === undefined) throw new Error(`the SDK's iterator never gave out the token stamped ${stamp}`)
      const addedMs = (at - iteratorAt) / 1e6
      delays.totalMs.push((at - stamp) / 1e6)
      delays.sdkMs.push((iteratorAt - stamp) / 1e6)
      delays.addedMs.push(addedMs)
      if (place === 0) delays.beyondMs.push(addedMs - windowMs)
    }
  }
  return delays
}
