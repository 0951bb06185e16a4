import { draft, type SessionState } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { EventStore, SessionFilter } from '../event-store.ts'
import {
  approvalDecided,
  approvalId,
  approvalRequested,
  clientCallId,
  clientToolCalled,
  clientToolExpired,
  created,
  type OpenStore,
  questionAnswered,
  questionAsked,
  questionId,
  sessionId,
  statusChanged,
  thought,
  withStore,
} from './store-harness.contract.ts'

const idsOf = (states: readonly SessionState[]) => states.map((state) => state.sessionId)
const ids = (...names: number[]) => names.map((name) => sessionId(name))

export function describeLists(open: OpenStore): void {
  describe('lists', () => {
    describePaging(open)
    describeFilters(open)
    describeArchive(open)
    describeAsks(open)
    describeSeeds(open)
  })
}

function describePaging(open: OpenStore): void {
  it('return the newest session first, ordered by id at equal times', () =>
    withStore(open, async ({ store, clock }) => {
      for (const name of [3, 1, 4]) await store.append(sessionId(name), 0, [created()])
      clock.advance(1)
      for (const name of [2, 5]) await store.append(sessionId(name), 0, [created()])
      clock.advance(1)
      await store.append(sessionId(1), 1, [thought('activity does not move a session')])
      const { sessions, nextCursor } = await store.list({}, { limit: 10 })
      expect(idsOf(sessions)).toEqual(ids(5, 2, 4, 3, 1))
      expect(nextCursor).toBeNull()
      expect(sessions[4]).toEqual(await store.load(sessionId(1)))
    }))

  it('return every session exactly once across pages, even if new ones arrive', () =>
    withStore(open, async ({ store, clock }) => {
      for (let name = 1; name <= 20; name++) {
        if (name % 3 === 0) clock.advance(1)
        await store.append(sessionId(name), 0, [created({ tags: ['t'] })])
      }
      for (const filter of [{}, { tag: 't' }, { status: 'idle' }, { agentName: 'triage', tag: 't' }] as const) {
        const seen = await walk(store, filter, async () => {
          clock.advance(1)
          await store.append(sessionId(clock.now().getTime()), 0, [created({ tags: ['t'] })])
        })
        expect(idsOf(seen)).toEqual(expect.arrayContaining(ids(1, 10, 20)))
        expect(new Set(idsOf(seen)).size).toBe(seen.length)
        expect(seen).toEqual([...seen].sort(newestFirst))
      }
    }))

  it('end exactly at the last session of a full page', () =>
    withStore(open, async ({ store }) => {
      for (let name = 1; name <= 4; name++) await store.append(sessionId(name), 0, [created()])
      const first = await store.list({}, { limit: 2 })
      expect(first.nextCursor).toMatch(/^[A-Za-z0-9_-]+$/)
      const second = await store.list({}, { limit: 2, cursor: first.nextCursor ?? '' })
      expect(idsOf(second.sessions)).toEqual(ids(2, 1))
      expect(second.nextCursor).toBeNull()
    }))

  const foreign = [
    '',
    'x',
    'null',
    '%%%',
    encode('[]'),
    encode('["2026-05-04T10:00:00.000Z"]'),
    encode('["now","ses_000001"]'),
  ]
  it.each(foreign)('refuse an invalid cursor: %j', (cursor) =>
    withStore(open, async ({ store }) => {
      await expect(store.list({}, { limit: 5, cursor })).rejects.toMatchObject({ code: 'cursor.malformed' })
    }),
  )
}

function describeFilters(open: OpenStore): void {
  it('filter by status, agent and tag, alone and together', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created({ agentName: 'coder', tags: ['red', 'blue', 'red'] })])
      await store.append(sessionId(2), 0, [created({ tags: ['red'] }), statusChanged('idle', 'running')])
      await store.append(sessionId(3), 0, [created({ agentName: 'coder', tags: ["o'hara ?"] })])
      await store.append(sessionId(3), 1, [statusChanged('idle', 'running')])
      const find = async (filter: SessionFilter) => idsOf((await store.list(filter, { limit: 10 })).sessions)
      expect(await find({ status: 'running' })).toEqual(ids(3, 2))
      expect(await find({ status: 'idle' })).toEqual(ids(1))
      expect(await find({ agentName: 'coder' })).toEqual(ids(3, 1))
      expect(await find({ tag: 'red' })).toEqual(ids(2, 1))
      expect(await find({ tag: "o'hara ?" })).toEqual(ids(3))
      expect(await find({ tag: 'red', agentName: 'coder', status: 'idle' })).toEqual(ids(1))
      expect(await find({ tag: 'blue', status: 'running' })).toEqual([])
      expect(await find({ agentName: 'nobody' })).toEqual([])
    }))

  it('find the sessions in some states for recovery, and count each state', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created()])
      await store.append(sessionId(2), 0, [created(), statusChanged('idle', 'running')])
      await store.append(sessionId(3), 0, [created(), statusChanged('idle', 'interrupting')])
      expect(idsOf(await store.listByStatus(['running', 'interrupting'])).sort()).toEqual(ids(2, 3))
      expect(await store.listByStatus(['failed'])).toEqual([])
      expect(await store.listByStatus([])).toEqual([])
      const counted = { idle: 1, running: 1, interrupting: 1 }
      expect(Object.fromEntries(await store.countByStatus())).toEqual(counted)
    }))
}

function describeArchive(open: OpenStore): void {
  const archive = (isArchived: boolean) => draft('AgentSessionDetailsChanged', { isArchived, by: 'ada' })

  it('hide archived sessions, or return only them, or all in one order', () =>
    withStore(open, async ({ store, clock }) => {
      for (let name = 1; name <= 8; name++) {
        await store.append(sessionId(name), 0, [created({ tags: ['t'], owner: name > 4 ? 'ada' : 'bob' })])
        if (name % 2 === 0) await store.append(sessionId(name), 1, [archive(true)])
        clock.advance(name % 3)
      }
      await store.append(sessionId(2), 2, [archive(false)])
      const find = async (filter: SessionFilter) => idsOf(await walk(store, filter, async () => {}))
      for (const tag of [{}, { tag: 't' }]) {
        expect(await find(tag)).toEqual(ids(7, 5, 3, 2, 1))
        expect(await find({ ...tag, archived: true })).toEqual(ids(8, 6, 4))
        expect(await find({ ...tag, archived: 'all' })).toEqual(ids(8, 7, 6, 5, 4, 3, 2, 1))
      }
      expect(await find({ owner: 'ada', archived: 'all' })).toEqual(ids(8, 7, 6, 5))
      expect(await find({ owner: 'bob', archived: true })).toEqual(ids(4))
    }))

  it('find sessions by part of their title and by hibernation', () =>
    withStore(open, async ({ store }) => {
      const titles = ['Fix the LOGIN page', 'login_form at 50%', 'Ärger \\ mit Zoë', 'nothing\u0000 here']
      for (const [index, title] of titles.entries()) await store.append(sessionId(index), 0, [created({ title })])
      const find = async (filter: SessionFilter) => idsOf((await store.list(filter, { limit: 10 })).sessions)
      expect(await find({ text: 'login' })).toEqual(ids(1, 0))
      expect(await find({ text: '50%' })).toEqual(ids(1))
      expect(await find({ text: 'n_f' })).toEqual(ids(1))
      expect(await find({ text: '\\ MIT ZOË' })).toEqual(ids(2))
      expect(await find({ text: 'x%y' })).toEqual([])
      await store.append(sessionId(1), 1, [draft('AgentSessionDetailsChanged', { title: 'Sign-in', by: 'ada' })])
      await store.append(sessionId(0), 1, [draft('AgentSessionHibernated', { reason: 'idle' })])
      expect(await find({ text: 'login' })).toEqual(ids(0))
      expect(await find({ hibernated: true })).toEqual(ids(0))
      expect(await find({ hibernated: false })).toEqual(ids(3, 2, 1))
      await store.append(sessionId(0), 2, [draft('AgentSessionWoken', { reason: 'message' })])
      expect(await find({ hibernated: true })).toEqual([])
    }))
}

function describeSeeds(open: OpenStore): void {
  it('find the session of a seed, which can create only one', () =>
    withStore(open, async ({ store, reopen }) => {
      const creations = [1, 2].map((name) => store.append(sessionId(name), 0, [created({ seed: 'key of ada' })]))
      const results = await Promise.allSettled(creations)
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      const made = await store.findSeed('key of ada')
      expect(refused).toMatchObject([{ code: 'store.conflict', facts: { sessionId: made } }])
      const now = (await reopen?.()) ?? store
      expect(await now.findSeed('key of ada')).toBe(made)
      expect(await now.findSeed('another')).toBeNull()
      expect((await now.list({}, { limit: 10 })).sessions).toHaveLength(1)
    }))
}

function describeAsks(open: OpenStore): void {
  it('find the session of an approval, open or decided', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created(), approvalRequested(7)])
      expect(await store.findAsk(approvalId(7))).toBe(sessionId(1))
      await store.append(sessionId(1), 2, [approvalDecided(7)])
      expect(await store.findAsk(approvalId(7))).toBe(sessionId(1))
      expect(await store.findAsk(approvalId(8))).toBeNull()
    }))

  it('find the session of a question and of a client call, open or settled', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created(), questionAsked(1), clientToolCalled(2)])
      await store.append(sessionId(1), 3, [questionAnswered(1), clientToolExpired(2)])
      expect(await store.findAsk(questionId(1))).toBe(sessionId(1))
      expect(await store.findAsk(clientCallId(2))).toBe(sessionId(1))
      expect(await store.findAsk(questionId(2))).toBeNull()
    }))

  it('return the sessions with any open ask', () =>
    withStore(open, async ({ store, clock }) => {
      const asks = [clientToolCalled('a'), approvalRequested('b'), questionAsked('c')]
      for (const [index, ask] of asks.entries()) {
        await store.append(sessionId(3 - index), 0, [created(), ask])
        clock.advance(1)
      }
      expect(idsOf(await store.listWaiting())).toEqual(ids(3, 2, 1))
      await store.append(sessionId(3), 2, [clientToolExpired('a'), questionAsked('d')])
      expect(idsOf(await store.listWaiting())).toEqual(ids(2, 1, 3))
      await store.append(sessionId(1), 2, [questionAnswered('c')])
      expect(idsOf(await store.listWaiting())).toEqual(ids(2, 3))
    }))

  it('return the sessions with an open approval, the oldest request first', () =>
    withStore(open, async ({ store, clock }) => {
      for (const name of [1, 2, 3]) await store.append(sessionId(name), 0, [created()])
      await store.append(sessionId(3), 1, [approvalRequested('a')])
      clock.advance(1)
      await store.append(sessionId(1), 1, [approvalRequested('b')])
      clock.advance(1)
      await store.append(sessionId(3), 2, [approvalRequested('c')])
      expect(idsOf(await store.listWaiting())).toEqual(ids(3, 1))
      await store.append(sessionId(3), 3, [approvalDecided('a')])
      expect(idsOf(await store.listWaiting())).toEqual(ids(1, 3))
      await store.append(sessionId(3), 4, [approvalDecided('c')])
      await store.append(sessionId(1), 2, [approvalDecided('b')])
      expect(await store.listWaiting()).toEqual([])
    }))
}

async function walk(store: EventStore, filter: SessionFilter, between: () => Promise<void>): Promise<SessionState[]> {
  const seen: SessionState[] = []
  let cursor: string | null = null
  do {
    const page = await store.list(filter, cursor === null ? { limit: 6 } : { limit: 6, cursor })
    seen.push(...page.sessions)
    cursor = page.nextCursor
    await between()
  } while (cursor !== null)
  return seen
}

function newestFirst(one: SessionState, other: SessionState): number {
  const key = (state: SessionState) => `${state.createdAt} ${state.sessionId}`
  return key(one) > key(other) ? -1 : 1
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
