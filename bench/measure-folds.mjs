// Folds over long logs: the cost of one event must not depend on the number of events before it.
import { EventId, emptyTranscript, foldSession, foldTranscript } from '@quarterdeck/protocol'
import { alternate, timed } from './alternate.mjs'
import { sampleDrafts, sampleSession } from './sample-events.mjs'
import { newSessionId } from './seed-sessions.mjs'
import { median } from './statistics.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('@quarterdeck/protocol').SessionEvent} SessionEvent */

const sizes = [1000, 10_000, 100_000]

/** @type {import('./figure.mjs').Measurement} */
export const folds = {
  title: 'Folds',
  async measure({ isQuick }) {
    const log = sampleLog(Math.max(...sizes))
    const rounds = isQuick ? 3 : 7
    return [
      ...(await measureFold('transcript', rounds, (count) => foldTranscript(emptyTranscript, log.slice(0, count)))),
      ...(await measureFold('session state', rounds, (count) => foldSession(null, log.slice(0, count)))),
      await measureLive(log, rounds),
    ]
  },
}

/**
 * @param {string} name
 * @param {number} rounds
 * @param {(count: number) => unknown} fold
 * @returns {Promise<Figure[]>}
 */
async function measureFold(name, rounds, fold) {
  fold(10_000) // both sizes run compiled code
  /** @type {Map<number, number[]>} */
  const times = new Map(sizes.map((size) => [size, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const size of sizes) times.get(size)?.push(await timed(() => fold(size)))
  }
  const perEvent = sizes.map((size) => (median(times.get(size) ?? []) * 1000) / size)
  const base = perEvent[0] ?? null
  return sizes.map((size, index) => ({
    name: `fold of ${size.toLocaleString('en-US')} events into the ${name}`,
    unit: 'µs/event',
    ours: perEvent[index] ?? Number.NaN,
    theirs: index === 0 ? null : base,
    against: 'at 1,000',
    better: /** @type {const} */ ('lower'),
    ...(index === 0 ? {} : { goal: 'about 1 ×' }),
  }))
}

/**
 * Folds one event at a time, like a page that watches a session.
 * @param {readonly SessionEvent[]} log
 * @param {number} rounds
 * @returns {Promise<Figure>}
 */
async function measureLive(log, rounds) {
  const cost = (/** @type {number} */ before) => {
    let transcript = foldTranscript(emptyTranscript, log.slice(0, before))
    let seq = before
    return async () => {
      const next = log.slice(seq, seq + 100)
      seq += next.length
      const time = await timed(() => {
        for (const event of next) transcript = foldTranscript(transcript, [event])
      })
      return (time * 1000) / next.length
    }
  }
  const sides = { ours: cost(10_000), theirs: cost(1000) }
  await alternate(30, sides) // both sizes run compiled code
  const times = await alternate(rounds * 5, sides)
  return {
    name: 'one live event after 10,000 into the transcript',
    unit: 'µs/event',
    ours: median(times.ours),
    theirs: median(times.theirs),
    against: 'after 1,000',
    better: 'lower',
    goal: 'about 1 ×',
    note: 'without reading the items: a page does that once per frame',
  }
}

/**
 * @param {number} count
 * @returns {SessionEvent[]}
 */
function sampleLog(count) {
  const sessionId = newSessionId()
  const at = new Date().toISOString()
  return [sampleSession, ...sampleDrafts(0, count - 1)].map((draft, index) => {
    const id = EventId.parse(`evt_${index.toString().padStart(10, '0')}`)
    // Type and data come from one draft; the spread loses this relation for the compiler.
    return /** @type {SessionEvent} */ ({ ...draft, seq: index + 1, id, sessionId, at, v: 1 })
  })
}
