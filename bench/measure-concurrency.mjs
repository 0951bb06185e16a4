// The number of real CLI sessions that can stream at once before tokens arrive late.
import { loadBenchAgent } from './bare-sdk.mjs'
import { missing } from './figure.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { quantile } from './statistics.mjs'
import { openBareStreams, openServedStreams } from './streaming-sessions.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {{ grow: (count: number) => Promise<void>, stream: () => Promise<import('./streaming-sessions.mjs').Frame[]>, close: () => Promise<void> }} Streams */

const name = 'sessions streaming at once'
const goal = '≥ 1.3 ×, stretch 1.5 ×'
const lateMs = 50
const step = 5
const most = 60
/** Same value as running-session.ts of the engine. */
const engineWindowMs = 25
/** The default of config.yaml. */
const gatewayWindowMs = 50
/** Above the capacity of the machine, so that the machine is measured and not our limits. */
const processes = { max_resident: 200, max_running_turns: 200, spares: false }

/** @type {import('./figure.mjs').Measurement} */
export const concurrency = {
  title: `Sessions streaming at once until p95 exceeds the merge window by ${lateMs} ms, one token every 20 ms`,
  async measure({ isQuick, isLong }) {
    if (!isLong) return [missing(name, 'takes many minutes: run it with --long', goal)]
    return inFolder(async (folder) => {
      const model = await startHost('model', folder, { kind: 'stamped', count: isQuick ? 100 : 200, everyMs: 20 })
      const modelUrl = model.opened.url
      const common = { folder, backend: 'claude', modelUrl, processes }
      try {
        const plain = await capacityOfServer(folder, { ...common, data: 'plain', mergeWindowMs: 0 })
        const merged = await capacityOfServer(folder, { ...common, data: 'merged', mergeWindowMs: gatewayWindowMs })
        const agent = await loadBenchAgent(folder)
        const bare = await capacityOf(openBareStreams(agent, { folder, modelUrl, name: 'bare' }), 0)
        const sides = { unit: 'sessions', theirs: bare.count, against: 'bare SDK' }
        const mergedName = `${name}, deltas merged for ${gatewayWindowMs} ms`
        const note = (/** @type {typeof bare} */ ours) => `p95 ${ours.seen.join(', ')} | ${bare.seen.join(', ')} ms`
        return [
          { name: `${name}, tokens not merged`, ...sides, ours: plain.count, better: 'higher', note: note(plain) },
          merged.isMerged
            ? { name: mergedName, ...sides, ours: merged.count, better: 'higher', goal, note: note(merged) }
            : missing(mergedName, 'this server does not merge deltas', goal),
        ]
      } finally {
        await model.close()
      }
    })
  },
}

/**
 * @param {string} folder
 * @param {{ mergeWindowMs: number } & Record<string, unknown>} options
 */
async function capacityOfServer(folder, options) {
  const host = await startHost('quarterdeck', folder, options)
  try {
    const capacity = await capacityOf(openServedStreams(host.opened), engineWindowMs + options.mergeWindowMs)
    return { ...capacity, isMerged: areMerged(await host.call('taps')) }
  } finally {
    await host.close()
  }
}

/**
 * Whether tokens that were sent separately reached the SDK together.
 * @param {readonly (readonly [stamp: number, receivedAt: number])[]} taps
 */
const areMerged = (taps) => new Set(taps.map(([, receivedAt]) => receivedAt)).size < taps.length * 0.9

/**
 * The largest number of sessions whose tokens arrived in time.
 * @param {Streams} streams
 * @param {number} windowMs the delay that merging may add
 */
async function capacityOf(streams, windowMs) {
  const seen = []
  let count = 0
  try {
    for (let next = step; next <= most; next += step) {
      await streams.grow(next)
      let p95 = await p95Of(streams, windowMs)
      if (p95 > lateMs) p95 = Math.min(p95, await p95Of(streams, windowMs)) // a single outlier does not set the limit
      seen.push(`${next}: ${p95.toFixed(0)}`)
      if (p95 > lateMs) break
      count = next
    }
  } finally {
    await streams.close()
  }
  return { count, seen }
}

/**
 * Delay of the first token in each frame, which waited for the whole merge window.
 * @param {Streams} streams
 * @param {number} windowMs
 */
async function p95Of(streams, windowMs) {
  const frames = await streams.stream()
  return (
    quantile(
      frames.map(({ at, stamps }) => (at - (stamps[0] ?? at)) / 1e6),
      0.95,
    ) - windowMs
  )
}
