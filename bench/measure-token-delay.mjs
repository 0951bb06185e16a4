// What Quarterdeck adds to each token on its way from the CLI to a reader, with one and with ten streaming sessions.
import { alternate } from './alternate.mjs'
import { loadBenchAgent } from './bare-sdk.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { quantile } from './statistics.mjs'
import { openBareStreams, openServedStreams } from './streaming-sessions.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('./streaming-sessions.mjs').Frame} Frame */
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
          const theirs = openBareStreams(agent, { folder, modelUrl, name: `bare-${sessions}` })
          const ours = openServedStreams(host.opened)
          await theirs.grow(sessions)
          await ours.grow(sessions)
          await host.call('taps')
          const runs = await alternate(isQuick ? 1 : 3, {
            ours: async () => delaysOf(await ours.stream(), new Map(await host.call('taps'))),
            theirs: async () => delaysOfBare(await theirs.stream()),
          })
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

/** @param {readonly Frame[]} frames */
const delaysOfBare = (frames) => frames.flatMap(({ at, stamps }) => stamps.map((stamp) => (at - stamp) / 1e6))

/**
 * @param {readonly Frame[]} frames
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
