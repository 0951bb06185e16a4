import { BudgetId, draft, type EventDraft } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { BegunAnswer } from '../begun-answer.ts'
import type { EventStore } from '../event-store.ts'
import type { StoredBudget } from '../money-store.ts'
import { created, type HeldClock, type OpenStore, sessionId, usage, withStore } from './store-harness.contract.ts'

const day = 24 * 60 * 60 * 1000
const id = BudgetId.parse('bud_000001')
const budget: StoredBudget = {
  id,
  scope: 'user',
  subject: 'ada',
  period: 'month',
  unit: 'usd',
  limit: 5,
  createdAt: '2026-05-04T10:00:00.000Z',
  createdBy: 'ada',
}

export function describeMoney(open: OpenStore): void {
  describe('usage', () => describeUsage(open))
  describe('spending', () => describeSpent(open))
  describe('budgets', () => describeBudgets(open))
  describe('begun answers', () => describeBegun(open))
}

/** Two days: on the first ada's coder and triage, on the second bob's triage. */
async function spend(store: EventStore, clock: HeldClock): Promise<void> {
  await store.append(sessionId(1), 0, [
    created({ modelSource: 'provider', owner: 'ada', agentName: 'coder' }),
    booking('m1', { units: 360 }),
  ])
  await store.append(sessionId(2), 0, [
    created({ modelSource: 'provider', owner: 'ada' }),
    booking('m1', { costUsd: null, isGuess: true }),
  ])
  clock.advance(day)
  await store.append(sessionId(3), 0, [
    created({ modelSource: 'provider', owner: 'bob' }),
    booking('m1'),
    booking('m2', { model: 'x' }),
  ])
}

interface BookedFacts {
  readonly costUsd?: number | null
  readonly units?: number
  readonly model?: string
  readonly servedModel?: string
  readonly isGuess?: boolean
}

function booking(apiMessageId: string, facts: BookedFacts = {}): EventDraft {
  const { costUsd = 0.25, units = 0, isGuess } = facts
  const plain = usage(apiMessageId, costUsd)
  if (plain.type !== 'UsageRecorded') throw new Error('a booking is a UsageRecorded')
  const tokens = isGuess ? { ...plain.data.tokens, isOutputEstimated: true } : plain.data.tokens
  const { model = plain.data.model, servedModel = plain.data.servedModel } = facts
  return { ...plain, data: { ...plain.data, units, highCostUsd: 0.5, tokens, model, servedModel } }
}

function describeBegun(open: OpenStore): void {
  const tokens = { input: 4, output: 1, cacheRead: 3, cacheWrite: 1500 }
  const begun = (number: number, apiMessageId: string): BegunAnswer => ({
    sessionId: sessionId(number),
    apiMessageId,
    requestId: `req_${apiMessageId}`,
    tokens,
    requestedModel: 'claude-sonnet-4-6',
    servedModel: 'claude-sonnet-4-6',
  })

  it('are recorded until they are booked, dropped, or their session is deleted', () =>
    withStore(open, async ({ store, reopen }) => {
      for (const number of [1, 2]) await store.append(sessionId(number), 0, [created()])
      expect(await store.begunAnswers()).toEqual([])
      const notes = [begun(1, 'm1'), begun(1, 'm2'), begun(1, 'm3'), begun(2, 'm4')]
      for (const note of notes) await store.noteBegun(note)
      await store.noteBegun({ ...begun(1, 'm1'), requestId: 'another' })
      const now = (await reopen?.()) ?? store
      expect(await now.begunAnswers()).toEqual(notes)
      await now.append(sessionId(1), 1, [usage('m1', 0.25)])
      await now.dropBegun(begun(1, 'm2'))
      expect(await now.begunAnswers()).toEqual([begun(1, 'm3'), begun(2, 'm4')])
      await now.remove(sessionId(2), 'ada')
      expect(await now.begunAnswers()).toEqual([begun(1, 'm3')])
    }))

  it('are refused if they could not be read back', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created()])
      const odd = [{ input: -1 }, { input: 1.5 }, { input: Number.NaN }, { output: 'abc' }]
      // Provider data follows no types.
      for (const counts of odd) {
        const answer = { ...begun(1, 'm1'), tokens: { ...tokens, ...counts } } as BegunAnswer
        await expect(store.noteBegun(answer)).rejects.toThrow()
      }
      expect(await store.begunAnswers()).toEqual([])
    }))
}

function describeUsage(open: OpenStore): void {
  it('sums everything, or by any groups, ordered by their names', () =>
    withStore(open, async ({ store, clock, reopen }) => {
      expect(await store.usage({ groupBy: [] })).toEqual([])
      await spend(store, clock)
      const now = (await reopen?.()) ?? store
      expect(await now.usage({ groupBy: [] })).toEqual([
        {
          group: {},
          requests: 4,
          costUsd: 0.75,
          units: 360,
          highCostUsd: 2,
          tokens: { input: 400, output: 80, cacheRead: 12, cacheWrite: 16, isOutputEstimated: true },
          hasUnpriced: true,
          hasEstimated: true,
          simulatedRequests: 0,
          simulatedUsd: 0,
        },
      ])
      const byDay = await now.usage({ groupBy: ['day'] })
      expect(byDay.map((row) => [row.group.day, row.requests, row.costUsd, row.hasUnpriced, row.hasEstimated])).toEqual(
        [
          ['2026-05-04', 2, 0.25, true, true],
          ['2026-05-05', 2, 0.5, false, false],
        ],
      )
      const byUser = await now.usage({ groupBy: ['user', 'agent', 'model', 'session', 'user'] })
      expect(byUser.map((row) => row.group)).toEqual([
        { user: 'ada', agent: 'coder', model: 'claude-sonnet-4-6', session: sessionId(1) },
        { user: 'ada', agent: 'triage', model: 'claude-sonnet-4-6', session: sessionId(2) },
        { user: 'bob', agent: 'triage', model: 'claude-sonnet-4-6', session: sessionId(3) },
        { user: 'bob', agent: 'triage', model: 'x', session: sessionId(3) },
      ])
    }))

  it('separates simulated answers, even without a price', () =>
    withStore(open, async ({ store }) => {
      const simulated = [booking('m1', { servedModel: 'simulator' }), booking('m2', { costUsd: null })]
      await store.append(sessionId(1), 0, [created({ modelSource: 'simulator' }), ...simulated])
      // A provider may use any name for a model.
      const charged = [booking('m1', { servedModel: 'simulator' }), booking('m2')]
      await store.append(sessionId(2), 0, [created({ modelSource: 'provider' }), ...charged])
      expect(await store.usage({ groupBy: ['session'] })).toMatchObject([
        { requests: 2, costUsd: 0.25, simulatedRequests: 2, simulatedUsd: 0.25 },
        { requests: 2, costUsd: 0.5, simulatedRequests: 0, simulatedUsd: 0 },
      ])
    }))

  it('filters by a time range and by the requested values', () =>
    withStore(open, async ({ store, clock }) => {
      await spend(store, clock)
      const count = async (query: Omit<Parameters<EventStore['usage']>[0], 'groupBy'>) =>
        (await store.usage({ ...query, groupBy: [] }))[0]?.requests ?? 0
      expect(await count({ from: '2026-05-04T10:00:00.000Z', to: '2026-05-05T10:00:00.000Z' })).toBe(2)
      expect(await count({ from: '2026-05-04T12:00:00.001+02:00' })).toBe(2)
      expect(await count({ to: '2026-05-04T10:00:00.000Z' })).toBe(0)
      expect(await count({ filter: { user: 'ada' } })).toBe(2)
      expect(await count({ filter: { user: 'ada', agent: 'triage' } })).toBe(1)
      expect(await count({ filter: { model: 'x' } })).toBe(1)
      expect(await count({ filter: { session: sessionId(3) } })).toBe(2)
    }))
}

function describeSpent(open: OpenStore): void {
  it('sums by agent, by user and in total since a day', () =>
    withStore(open, async ({ store, clock }) => {
      await spend(store, clock)
      const nothing = { usd: 0, units: 0 }
      expect(await store.spent({ scope: 'all', subject: '', from: null })).toEqual({ usd: 0.75, units: 360 })
      expect(await store.spent({ scope: 'all', subject: '', from: '2026-05-05T23:00:00.000Z' })).toMatchObject({
        usd: 0.5,
      })
      expect(await store.spent({ scope: 'user', subject: 'ada', from: '2026-05-04T23:59:59.999Z' })).toEqual({
        usd: 0.25,
        units: 360,
      })
      expect(await store.spent({ scope: 'user', subject: 'ada', from: '2026-05-05T00:00:00.000Z' })).toEqual(nothing)
      expect(await store.spent({ scope: 'agent', subject: 'triage', from: null })).toEqual({ usd: 0.5, units: 0 })
      expect(await store.spent({ scope: 'agent', subject: 'nobody', from: null })).toEqual(nothing)
      expect([...(await store.spentByEach({ scope: 'user', from: null }))]).toEqual([
        ['ada', { usd: 0.25, units: 360 }],
        ['bob', { usd: 0.5, units: 0 }],
      ])
      expect([...(await store.spentByEach({ scope: 'user', from: '2026-05-05T00:00:00.000Z' })).keys()]).toEqual([
        'bob',
      ])
    }))

  it('sums by the key that started the sessions, whoever owns them', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created({ owner: 'ada', startedBy: 'ci' }), booking('m1')])
      await store.append(sessionId(2), 0, [created({ owner: 'ada' }), booking('m2')])
      const sums = [...(await store.spentByEach({ scope: 'key', from: null }))]
      expect(sums).toEqual([
        ['ada', { usd: 0.25, units: 0 }],
        ['ci', { usd: 0.25, units: 0 }],
      ])
      expect(await store.spent({ scope: 'user', subject: 'ada', from: null })).toMatchObject({ usd: 0.5 })
      expect(await store.usage({ groupBy: ['key'] })).toMatchObject([
        { group: { key: 'ada' } },
        { group: { key: 'ci' } },
      ])
    }))

  it('counts a booking once, however often it is reported', () =>
    withStore(open, async ({ store }) => {
      await store.append(sessionId(1), 0, [created({ owner: 'ada' }), booking('m1'), booking('m1')])
      await store.append(sessionId(1), 2, [booking('m1')])
      await expect(store.append(sessionId(1), 1, [booking('m2')])).rejects.toMatchObject({ code: 'store.conflict' })
      expect(await store.spent({ scope: 'user', subject: 'ada', from: null })).toEqual({ usd: 0.25, units: 0 })
    }))
}

function describeBudgets(open: OpenStore): void {
  it('are saved, changed by id and deleted, each with an audit entry', () =>
    withStore(open, async ({ store, reopen }) => {
      await store.saveBudget(budget, 'ada')
      const all = { ...budget, id: BudgetId.parse('bud_000002'), scope: 'all', subject: '' } as const
      await store.saveBudget(all, 'ada')
      await store.saveBudget({ ...budget, limit: 7.5 }, 'bob')
      const now = (await reopen?.()) ?? store
      expect(await now.listBudgets()).toEqual([{ ...budget, limit: 7.5 }, all])
      expect(await now.deleteBudget(id, 'eve')).toBe(true)
      expect(await now.deleteBudget(id, 'eve')).toBe(false)
      expect(await now.listBudgets()).toEqual([all])
      const entries = (await now.readAudit(0, 10)).map(({ principal, action, subject }) => [principal, action, subject])
      expect(entries).toEqual([
        ['ada', 'budget.saved', id],
        ['ada', 'budget.saved', all.id],
        ['bob', 'budget.saved', id],
        ['eve', 'budget.deleted', id],
      ])
      expect((await now.readAudit(2, 1))[0]?.detail).toMatchObject({ limit: 7.5 })
    }))

  it('change the limit of an existing budget, and never recreate a deleted one', () =>
    withStore(open, async ({ store }) => {
      await store.saveBudget(budget, 'ada')
      expect(await store.changeBudget(id, 7.5, 'bob')).toEqual({ ...budget, limit: 7.5 })
      expect(await store.listBudgets()).toEqual([{ ...budget, limit: 7.5 }])
      const [, wasThere, changed] = await Promise.all([
        store.changeBudget(id, 8, 'bob'),
        store.deleteBudget(id, 'eve'),
        store.changeBudget(id, 9, 'bob'),
      ])
      expect({ wasThere, changed }).toEqual({ wasThere: true, changed: null })
      expect(await store.listBudgets()).toEqual([])
      const entries = (await store.readAudit(0, 10)).map(({ action, detail }) => [action, detail.limit])
      expect(entries).toEqual([
        ['budget.saved', budget.limit],
        ['budget.saved', 7.5],
        ['budget.saved', 8],
        ['budget.deleted', 8],
      ])
    }))

  it('record a warning once per period across sessions, and again after the limit has changed', () =>
    withStore(open, async ({ store }) => {
      const sessions = [sessionId(1), sessionId(2)]
      for (const session of sessions) await store.append(session, 0, [created()])
      /** How many logs contain it after both have tried. */
      async function given(period: string, words = 'user ada per month'): Promise<number> {
        const data = { budget: words, budgetId: id, period, unit: 'usd', spent: 4, limit: 5 } as const
        const written = sessions.map(async (session) => {
          const seq = (await store.load(session))?.seq ?? 0
          return store.append(session, seq, [draft('BudgetWarning', data)])
        })
        return (await Promise.all(written)).flat().length
      }
      await store.saveBudget(budget, 'ada')
      expect(await given('2026-05')).toBe(1)
      expect(await given('2026-05')).toBe(0)
      expect(await given('2026-05', 'user bob per month')).toBe(1)
      expect(await given('2026-06')).toBe(1)
      await store.saveBudget({ ...budget, limit: 9 }, 'ada')
      expect(await given('2026-05')).toBe(1)
      await store.changeBudget(id, 10, 'ada')
      expect(await given('2026-05')).toBe(1)
      await store.deleteBudget(id, 'ada')
      expect(await given('2026-07')).toBe(0)
    }))

  it('keep a warning due if its append was refused, and never suppress a session’s own limit warning', () =>
    withStore(open, async ({ store }) => {
      await store.saveBudget(budget, 'ada')
      await store.append(sessionId(1), 0, [created()])
      const sum = { unit: 'usd', spent: 4, limit: 5 } as const
      const theirs = draft('BudgetWarning', { budget: 'user ada per month', budgetId: id, period: '2026-05', ...sum })
      const own = draft('BudgetWarning', { budget: 'session', ...sum })
      await expect(store.append(sessionId(1), 0, [theirs])).rejects.toMatchObject({ code: 'store.conflict' })
      expect(await store.append(sessionId(1), 1, [own, theirs])).toHaveLength(2)
      expect((await store.append(sessionId(1), 3, [theirs, own])).map(({ data }) => data)).toEqual([own.data])
    }))
}
