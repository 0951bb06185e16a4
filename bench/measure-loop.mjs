// Sessions of the in-process loop that stream at the same time, against the official client alone.
import { alternate } from './alternate.mjs'
import { inFolder } from './folders.mjs'
import { startHost } from './start-host.mjs'
import { median, quantile } from './statistics.mjs'

/** @typedef {{ cpuUs: number, delaysMs: readonly number[] }} Run */
/** @typedef {{ ours: Run[], theirs: Run[] }} Runs */

const sessions = 500
const everyMs = 50
/** A quick run has the same length, because the fixed cost of a turn is divided among its chunks. */
const count = 300

/** @type {import('./figure.mjs').Measurement} */
export const loop = {
  title: 'In-process sessions',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const model = await startHost('model', folder, { kind: 'stamped', count, everyMs })
      const options = { sessions, modelUrl: model.opened.url, folder }
      const theirs = await startHost('loop-client', folder, { ...options, side: 'client' })
      const ours = await startHost('loop-client', folder, { ...options, side: 'loop' })
      const whole = await startHost('loop-client', folder, { ...options, side: 'engine' })
      try {
        const rounds = isQuick ? 1 : 3
        /** @param {import('./start-host.mjs').Host} host */
        const against = (host) => ({ ours: () => host.call('stream'), theirs: () => theirs.call('stream') })
        /** @param {import('./start-host.mjs').Host} host */
        const measured = async (host) => {
          await alternate(1, against(host)) // both sides run compiled code
          return alternate(rounds, against(host))
        }
        return [
          ...figuresOf('the backend', await measured(ours)),
          ...figuresOf('the whole engine', await measured(whole)),
        ]
      } finally {
        await whole.close()
        await ours.close()
        await theirs.close()
        await model.close()
      }
    }),
}

/**
 * @param {string} what
 * @param {Runs} runs
 * @returns {import('./figure.mjs').Figure[]}
 */
function figuresOf(what, { ours, theirs }) {
  const chunks = sessions * count
  const title = `${what}, ${sessions} × ${1000 / everyMs} chunks/s`
  const common = { against: 'official client alone', better: /** @type {const} */ ('lower') }
  const cpu = (/** @type {Run[]} */ side) => median(side.map(({ cpuUs }) => cpuUs / chunks))
  const delays = (/** @type {Run[]} */ side) => side.flatMap(({ delaysMs }) => [...delaysMs])
  const lost = (/** @type {Run[]} */ side) => side.reduce((sum, run) => sum + chunks - run.delaysMs.length, 0)
  return [
    { ...common, name: `${title}: CPU per chunk`, unit: 'µs', ours: cpu(ours), theirs: cpu(theirs), goal: '≤ 2 ×' },
    ...[0.5, 0.99].map((share) => ({
      ...common,
      name: `${title}: delay p${share * 100}`,
      unit: 'ms',
      ours: quantile(delays(ours), share),
      theirs: quantile(delays(theirs), share),
      ...(share === 0.5 && { goal: '≤ 25 ms + window' }),
    })),
    { ...common, name: `${title}: chunks lost`, unit: 'chunks', ours: lost(ours), theirs: lost(theirs), goal: '0' },
  ]
}
