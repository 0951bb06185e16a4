// The delay that Quarterdeck adds to each token between the CLI and a reader, with one and with ten streaming sessions.
import { alternate } from './alternate.mjs'
import { loadBenchAgent } from './bare-sdk.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { quantile } from './statistics.mjs'
import { openBareStreams, openServedStreams } from './streaming-sessions.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('./streaming-sessions.mjs').Frame} Frame */
/** @typedef {{ sdkMs: number[], addedMs: number[], totalMs: number[], frames: number }} Delays */
/** @typedef {{ title: string, sessions: number, mergeWindowMs: number }} Case */

/** Same value as running-session.ts of the engine: text that arrives within this time is sent as one piece. */
const windowMs = 25
const everyMs = 20

/** @type {readonly Case[]} */
const cases = [
  { title: '1 session', sessions: 1, mergeWindowMs: 0 },
  { title: '10 sessions', sessions: 10, mergeWindowMs: 0 },
  { title: '10 sessions, gateway merging 50 ms', sessions: 10, mergeWindowMs: 50 },
]

/** @type {import('./figure.mjs').Measurement} */
export const tokenDelay = {
  title: `Delay per token, one every ${everyMs} ms, at most one piece in ${windowMs} ms`,
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const count = isQuick ? 60 : 150
      const model = await startHost('model', folder, { kind: 'stamped', count, everyMs })
      try {
        /** @type {Figure[]} */
        const figures = []
        for (const [index, one] of cases.entries()) {
          const target = { folder, modelUrl: model.opened.url, name: `case-${index}` }
          const runs = await runCase(one, target, isQuick ? 1 : 3)
          figures.push(...figuresOf(one, runs, count * one.sessions))
        }
        return figures
      } finally {
        await model.close()
      }
    }),
}

/**
 * @param {Case} one
 * @param {{ folder: string, modelUrl: string, name: string }} target
 * @param {number} rounds
 */
async function runCase({ sessions, mergeWindowMs }, target, rounds) {
  const { folder, modelUrl, name } = target
  const options = { folder, backend: 'claude', modelUrl, mergeWindowMs, data: name }
  const host = await startHost('quarterdeck', folder, options)
  const theirs = openBareStreams(await loadBenchAgent(folder), target)
  try {
    const ours = openServedStreams(host.opened)
    await theirs.grow(sessions)
    await ours.grow(sessions)
    await host.call('taps')
    const runs = await alternate(rounds, {
      ours: async () => delaysOf(await ours.stream(), new Map(await host.call('taps'))),
      theirs: async () => delaysOfBare(await theirs.stream()),
    })
    await ours.close()
    return runs
  } finally {
    await theirs.close()
    await host.close()
  }
}

/**
 * @param {Case} one
 * @param {{ ours: Delays[], theirs: number[][] }} runs
 * @param {number} expected tokens in each run
 * @returns {Figure[]}
 */
function figuresOf({ title }, runs, expected) {
  const theirs = runs.theirs.flat()
  const pick = (/** @type {keyof Omit<Delays, 'frames'>} */ key) => runs.ours.flatMap((run) => run[key])
  const common = { unit: 'ms', better: /** @type {const} */ ('lower') }
  const lost = (/** @type {number} */ rounds, /** @type {number} */ seen) => expected * rounds - seen
  const total = pick('totalMs')
  return [
    ...[0.5, 0.99].flatMap((share) => [
      {
        ...common,
        name: `${title}: model to reader p${share * 100}`,
        ours: quantile(total, share),
        theirs: quantile(theirs, share),
        against: 'bare SDK iterator',
      },
      {
        ...common,
        name: `${title}: added, iterator to reader, p${share * 100}`,
        ours: quantile(pick('addedMs'), share),
        theirs: quantile(pick('sdkMs'), share),
        against: 'model to the same iterator',
        goal: share === 0.5 ? `≤ ${windowMs} + 2 ms` : `≤ ${windowMs} + 10 ms`,
      },
    ]),
    {
      ...common,
      name: `${title}: tokens lost`,
      unit: 'tokens',
      ours: lost(runs.ours.length, total.length),
      theirs: lost(runs.theirs.length, theirs.length),
      against: 'bare SDK',
      note: `${runs.ours.reduce((sum, run) => sum + run.frames, 0)} frames for ${total.length} tokens`,
    },
  ]
}

/** @param {readonly Frame[]} frames */
const delaysOfBare = (frames) => frames.flatMap(({ at, stamps }) => stamps.map((stamp) => (at - stamp) / 1e6))

/**
 * @param {readonly Frame[]} frames
 * @param {ReadonlyMap<number, number>} received
 * @returns {Delays}
 */
function delaysOf(frames, received) {
  /** @type {Delays} */
  const delays = { sdkMs: [], addedMs: [], totalMs: [], frames: frames.length }
  for (const { at, stamps } of frames) {
    for (const stamp of stamps) {
      const iteratorAt = received.get(stamp)
      if (iteratorAt === undefined) throw new Error(`the SDK's iterator never returned the token stamped ${stamp}`)
      delays.totalMs.push((at - stamp) / 1e6)
      delays.sdkMs.push((iteratorAt - stamp) / 1e6)
      delays.addedMs.push((at - iteratorAt) / 1e6)
    }
  }
  return delays
}
