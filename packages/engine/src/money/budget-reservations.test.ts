import { AgentName, BudgetId, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { Spent, SpentQuery, StoredBudget } from '../store/ports/money-store.ts'
import { type BudgetReservations, createBudgetReservations } from './budget-reservations.ts'
import type { Account } from './budget-scope.ts'
import type { Cost } from './estimate-cost.ts'

const cost = (usd: number): Cost => ({ usd, units: usd * 1000 })
const never = new AbortController().signal

interface BookedRow {
  readonly agent: string
  readonly user: string
  readonly key?: string
  readonly usd: number
}

/** A separate ledger with any number of sessions. */
function setup(budgets: StoredBudget[] = []) {
  const booked: BookedRow[] = []
  let isBroken = false
  let now = new Date('2026-05-04T10:00:00Z')
  const matches =
    ({ scope, subject }: SpentQuery) =>
    (row: BookedRow) =>
      scope === 'all' || row[scope] === subject
  const reservations = createBudgetReservations({
    clock: { now: () => now },
    store: {
      async listBudgets() {
        await tick()
        if (isBroken) throw new Error('the disk is full')
        return budgets
      },
      async spent(query): Promise<Spent> {
        await tick()
        const usd = booked.filter(matches(query)).reduce((total, row) => total + row.usd, 0)
        return { usd, units: usd * 1000 }
      },
    },
  })
  return {
    reservations,
    budgets,
    booked,
    spent: () => booked.reduce((total, { usd }) => total + usd, 0),
    breakStore: () => {
      isBroken = true
    },
    at: (time: string) => {
      now = new Date(time)
    },
  }
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

function session(limitUsd: number, names: { agent?: string; user?: string; key?: string } = {}) {
  const account = {
    sessionId: SessionId.parse('ses_spending00'),
    agentName: AgentName.parse(names.agent ?? 'coder'),
    owner: names.user ?? 'ana',
    startedBy: names.key ?? names.user ?? 'ana',
    limitUsd,
    spentUsd: 0,
  }
  return account
}

let made = 0
function nextNumber(): number {
  made += 1
  return made
}

const budget = (body: Partial<StoredBudget>): StoredBudget => ({
  id: BudgetId.parse(`bud_spending${nextNumber()}`),
  scope: 'all',
  subject: '',
  period: 'total',
  unit: 'usd',
  limit: 1,
  createdAt: '2026-05-04T00:00:00.000Z',
  createdBy: 'ana',
  ...body,
})

const ask = (
  reservations: BudgetReservations,
  account: Account,
  { expected, maximum, id }: { expected: number; maximum: number; id?: string },
) =>
  reservations.reserve(
    { id: id ?? `r${nextNumber()}`, account: () => account, expected: cost(expected), maximum: cost(maximum) },
    never,
  )

describe('createBudgetReservations', () => {
  it('admits a request whose usual cost fits, regardless of its maximum', async () => {
    const { reservations } = setup()
    expect(await ask(reservations, session(0.1), { expected: 0.02, maximum: 0.5 })).toBeNull()
  })

  it('refuses a request that does not fit, and names the limit', async () => {
    const { reservations } = setup()
    const stop = await ask(reservations, { ...session(0.1), spentUsd: 0.09 }, { expected: 0.02, maximum: 0.5 })
    expect(stop).toMatchObject({ label: 'session', message: expect.stringContaining('$0.09 of $0.10') })
  })

  it('delays a second request while the first may use up the rest, and admits it afterwards', async () => {
    const { reservations } = setup()
    const account = session(0.1)
    await ask(reservations, account, { expected: 0.02, maximum: 0.5, id: 'first' })
    let second = 'waits'
    const later = ask(reservations, account, { expected: 0.02, maximum: 0.5 }).then((stop) => {
      second = stop === null ? 'went' : 'refused'
    })
    for (let turn = 0; turn < 20; turn += 1) await tick()
    expect(second).toBe('waits')
    account.spentUsd = 0.03
    reservations.release('first')
    await later
    expect(second).toBe('went')
  })

  it('refuses a waiting request when the earlier one used up the money', async () => {
    const { reservations } = setup()
    const account = session(0.1)
    await ask(reservations, account, { expected: 0.02, maximum: 0.5, id: 'first' })
    const later = ask(reservations, account, { expected: 0.02, maximum: 0.5 })
    account.spentUsd = 0.12
    reservations.release('first')
    expect(await later).toMatchObject({ spent: 0.12 })
  })

  it('judges waiting requests again when a limit is raised, and forgets aborted ones', async () => {
    const { reservations } = setup()
    const account = session(0.1)
    await ask(reservations, account, { expected: 0.02, maximum: 0.5, id: 'first' })
    const left = new AbortController()
    const leaving = reservations.reserve(
      { id: 'left', account: () => account, expected: cost(0.01), maximum: cost(0.5) },
      left.signal,
    )
    const staying = ask(reservations, account, { expected: 0.02, maximum: 0.5 })
    left.abort(new Error('the client left'))
    await expect(leaving).rejects.toThrow('the client left')
    account.limitUsd = 5
    reservations.judgeAgain()
    expect(await staying).toBeNull()
  })

  it('rejects when the ledger is unavailable', async () => {
    const { reservations, breakStore } = setup()
    breakStore()
    await expect(ask(reservations, session(5), { expected: 0.01, maximum: 0.1 })).rejects.toThrow('the disk is full')
  })

  it('enforces limits of the agent, the user and everybody, in dollars and units', async () => {
    const { reservations, booked, budgets } = setup()
    booked.push({ agent: 'coder', user: 'ana', usd: 0.5 })
    const askAs = (user: string, agent = 'coder') =>
      ask(reservations, session(5, { user, agent }), { expected: 0.01, maximum: 0.1 }).then(
        (stop) => stop?.label ?? 'fits',
      )
    for (const [body, as, label] of [
      [{ scope: 'user', subject: 'ana', period: 'month', limit: 0.5 }, 'ana', 'user ana per month'],
      [{ scope: 'user', subject: 'ana', period: 'month', limit: 0.5 }, 'bob', 'fits'],
      [{ scope: 'user', subject: '*', period: 'day', limit: 0.5 }, 'ana', 'user ana per day'],
      [{ scope: 'user', subject: '*', period: 'day', limit: 0.5 }, 'bob', 'fits'],
      [{ scope: 'agent', subject: 'coder', unit: 'units', limit: 505 }, 'bob', 'agent coder'],
      [{ scope: 'all', period: 'day', limit: 0.505 }, 'bob', 'everybody per day'],
    ] as const) {
      budgets.splice(0, budgets.length, budget(body))
      expect(await askAs(as)).toBe(label)
    }
  })

  it('enforces the limit of the key that started a session, regardless of the owner', async () => {
    const { reservations, booked } = setup([budget({ scope: 'key', subject: 'ci', period: 'day', limit: 0.5 })])
    booked.push({ agent: 'coder', user: 'ana', key: 'ci', usd: 0.5 })
    const askWith = (key: string) =>
      ask(reservations, session(5, { user: 'ana', key }), { expected: 0.01, maximum: 0.1 })
    expect(await askWith('ci')).toMatchObject({ label: 'key ci per day', message: expect.stringContaining('key ci') })
    expect(await askWith('phone')).toBeNull()
  })

  it("warns at four fifths: once for the session's own limit, once per period for budgets", async () => {
    const { reservations, booked, budgets, at } = setup()
    const daily = budget({ scope: 'user', subject: '*', period: 'day', limit: 1 })
    budgets.push(daily)
    booked.push({ agent: 'coder', user: 'ana', usd: 0.85 })
    const account = { ...session(1), spentUsd: 0.85 }
    const [own, first] = await reservations.warnings(account, cost(0.1))
    expect(own?.data).toEqual({ budget: 'session', unit: 'usd', spent: 0.85, limit: 1 })
    const warningData = { budget: 'user ana per day', budgetId: daily.id, unit: 'usd', spent: 0.85, limit: 1 }
    expect(first?.data).toEqual({ ...warningData, period: '2026-05-04' })
    at('2026-05-05T00:00:01Z')
    const later = await reservations.warnings({ ...account, spentUsd: 0.86 }, cost(0.01))
    expect(later.map(({ data }) => data)).toEqual([{ ...warningData, period: '2026-05-05' }])
  })
})

/** A small, fast and reproducible random generator. */
function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

describe('concurrent requests of any size', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
    'overshoot by at most one request (seed %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const limit = 0.05 + random()
      const { reservations, booked, budgets, spent } = setup()
      budgets.push(budget({ scope: 'user', subject: 'ana', period: 'month', limit }))
      const lanes = 1 + Math.floor(random() * 8)
      let dearest = 0
      let sent = 0
      await Promise.all(
        Array.from({ length: lanes }, async (_, lane) => {
          const account = session(5, { agent: lane % 2 === 0 ? 'coder' : 'writer' })
          for (;;) {
            const maximum = 0.001 + random() * 0.3
            const actual = maximum * random()
            const id = `seed${seed} lane${lane} ${sent}`
            if ((await ask(reservations, account, { expected: maximum * random() * 0.2, maximum, id })) !== null) return
            sent += 1
            for (let wait = Math.floor(random() * 5); wait > 0; wait -= 1) await tick()
            if (random() < 0.1) {
              reservations.release(id)
              continue
            }
            dearest = Math.max(dearest, actual)
            booked.push({ agent: account.agentName, user: 'ana', usd: actual })
            await tick()
            reservations.release(id)
          }
        }),
      )
      expect(spent()).toBeLessThan(limit + dearest)
      expect(sent).toBeGreaterThan(0)
    },
  )
})
