// Lists of 100 to 100,000 sessions: a page and a single session must cost the same, a full scan in proportion.
import { join } from 'node:path'
import { alternate, timed } from './alternate.mjs'
import { inFolder } from './folders.mjs'
import { openRaw } from './raw-database.mjs'
import { openStore, seedSessions } from './seed-sessions.mjs'
import { median } from './statistics.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */
/** @typedef {import('./built.mjs').EventStore} EventStore */

const sizes = [100, 10_000, 100_000]
const pageSize = 50

const inOrder = 'order by created_at desc, session_id desc'
const fromSessions = 'select session_id, seq, state from sessions where is_archived = 0'

/** @type {Readonly<Record<string, { filter: Parameters<EventStore['list']>[0], raw: string }>>} */
const questions = {
  newest: { filter: {}, raw: `${fromSessions} ${inOrder}` },
  'by status': { filter: { status: 'completed' }, raw: `${fromSessions} and status = 'completed' ${inOrder}` },
  'by agent': { filter: { agentName: 'bench' }, raw: `${fromSessions} and agent_name = 'bench' ${inOrder}` },
  'by owner': { filter: { owner: 'local' }, raw: `${fromSessions} and owner = 'local' ${inOrder}` },
  'by tag': {
    filter: { tag: 'bench' },
    raw: `select s.session_id, s.seq, s.state from session_tags t join sessions s on s.session_id = t.session_id
      where t.tag = 'bench' and t.is_archived = 0 order by t.created_at desc, t.session_id desc`,
  },
}

/** @type {import('./figure.mjs').Measurement} */
export const lists = {
  title: 'Session lists',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const rounds = isQuick ? 10 : 30
      await measureSize(join(folder, 'first.db'), { size: 100, rounds }) // warm up compiled code
      const perSize = []
      for (const size of sizes) perSize.push(await measureSize(join(folder, `${size}.db`), { size, rounds }))
      const [first, middle, last] = perSize
      if (first === undefined || middle === undefined || last === undefined) throw new Error('nothing was measured')
      return [
        ...perSize.flatMap(({ figures }) => figures),
        growth('page among 100,000 against among 100', last.pageMs, first.pageMs),
        growth(
          'title search without a match, per session, 100,000 against 10,000',
          last.missMs / 100_000,
          middle.missMs / 10_000,
        ),
        growth('opening one among 100,000 against among 100', last.openMs, first.openMs),
        growth('scanning all, per session, 100,000 against 100', last.walkMs / 100_000, first.walkMs / 100),
      ]
    }),
}

/**
 * @param {string} name
 * @param {number} large
 * @param {number} small
 * @returns {Figure}
 */
const growth = (name, large, small) => ({
  name,
  unit: 'ms',
  ours: large,
  theirs: small,
  against: 'small',
  better: 'lower',
  goal: 'about 1 ×',
})

/**
 * @param {string} file
 * @param {{ size: number, rounds: number }} plan
 */
async function measureSize(file, { size, rounds }) {
  await seedSessions(file, size)
  const store = await openStore(file)
  const raw = openRaw(file)
  /** @type {Figure[]} */
  const figures = []
  let pageMs = 0
  for (const [name, { filter, raw: query }] of Object.entries(questions)) {
    const select = raw.prepare(`${query} limit ${pageSize}`)
    const times = await alternate(rounds, {
      ours: () => timed(() => store.list(filter, { limit: pageSize })),
      theirs: () => timed(() => select.all([]).map((/** @type {any} */ row) => JSON.parse(row.state))),
    })
    const ours = median(times.ours)
    if (name === 'newest') pageMs = ours
    const title = `page of ${pageSize} ${name}, ${size.toLocaleString('en-US')} sessions`
    figures.push({ name: title, unit: 'ms', ours, theirs: median(times.theirs), against: 'raw rows', better: 'lower' })
  }
  const walkMs = await timed(() => walk(store))
  const some = (await store.list({}, { limit: 1 })).sessions[0]?.sessionId
  if (some === undefined) throw new Error('there are sessions')
  const openMs = await medianOf(rounds, async () => {
    await store.load(some)
    await store.read(some, 0, 200)
    await store.openTexts(some)
  })
  const missMs = await medianOf(rounds, () => store.list({ text: 'no title has this' }, { limit: pageSize }))
  raw.close()
  await store.close()
  return { figures, pageMs, walkMs, openMs, missMs }
}

/**
 * @param {number} rounds
 * @param {() => Promise<unknown>} work
 */
async function medianOf(rounds, work) {
  const times = []
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work))
  return median(times)
}

/** @param {EventStore} store */
async function walk(store) {
  /** @type {string | null | undefined} */
  let cursor
  do {
    /** @type {Awaited<ReturnType<EventStore['list']>>} */
    const page = await store.list({}, cursor ? { limit: 200, cursor } : { limit: 200 })
    cursor = page.nextCursor
  } while (cursor !== null)
}
