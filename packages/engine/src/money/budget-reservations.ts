// Reserve before a request, release after it. A limit is overshot by at most one request: whatever is under way is
// counted at the most it can cost, and where that could use up what is left, the next one waits for it.
import { draft, type EventDraft } from '@quarterdeck/protocol'
import type { Clock, EventStore } from '../store/ports/event-store.ts'
import type { Budget } from '../store/ports/money-store.ts'
import { type Account, amountOf, type BudgetScope, scopesOf } from './budget-scope.ts'
import type { Cost, CostEstimate } from './estimate-cost.ts'

export interface BudgetReservationsOptions {
  readonly store: Pick<EventStore, 'listBudgets' | 'spent'>
  readonly clock: Clock
}

export interface Reservation extends CostEstimate {
  /** Names it until it is released. */
  readonly id: string
  /** Read each time it is judged: limits are raised while requests wait. */
  readonly account: () => Account
}

/** Which limit says no. */
export interface BudgetStop {
  /** Absent for the session's own limit. */
  readonly budget?: Budget
  /** `session`, `user ana per month`. */
  readonly label: string
  readonly unit: Budget['unit']
  readonly spent: number
  readonly limit: number
  /** The whole sentence. */
  readonly message: string
  /** How often limits had changed when it was judged. */
  readonly judgedAt: number
}

export interface BudgetReservations {
  /**
   * Resolves with `null` when it may go, and with the limit that says no. Waits while requests under way could use up
   * what is left. Rejects when the ledger does not answer and when the signal aborts: no answer, no request.
   */
  reserve(reservation: Reservation, signal: AbortSignal): Promise<BudgetStop | null>
  /** Its cost is in the ledger, or it came to nothing. Unknown ids are fine. */
  release(id: string): void
  /** A limit has changed: whoever waits is judged again. */
  judgeAgain(): void
  /** No limit has changed since: judged again, it would be the same. */
  isCurrent(stop: BudgetStop): boolean
  /** The limit that is used up already, if any: without reserving anything. */
  stopOf(account: Account): Promise<BudgetStop | null>
  /**
   * What to tell after a booking of this much: each limit that has passed four fifths. Those of budgets are told again and
   * again: what was given before is left out by the store that takes it, so that a warning is given or still due.
   */
  warnings(account: Account, booked: Cost): Promise<readonly EventDraft<'BudgetWarning'>[]>
  /** Dollar limits other than the session's own. */
  dollarBudgets(account: Account): Promise<readonly Budget[]>
}

const warnAt = 0.8

interface Waiter extends Reservation {
  readonly settled: (stop: BudgetStop | null) => void
  readonly failed: (error: unknown) => void
}

interface UnderWay extends CostEstimate {
  readonly keys: readonly string[]
}

type Ledger = ReadonlyMap<string, { readonly usd: number; readonly units: number }>

export function createBudgetReservations({ store, clock }: BudgetReservationsOptions): BudgetReservations {
  let waiters: Waiter[] = []
  const underWay = new Map<string, UnderWay>()
  let isJudging = false
  let isDue = false
  let changes = 0

  async function judge(): Promise<void> {
    isDue = true
    if (isJudging) return
    isJudging = true
    while (isDue) {
      isDue = false
      await judgeWaiters()
    }
    isJudging = false
  }

  async function judgeWaiters(): Promise<void> {
    const judged = waiters
    if (judged.length === 0) return
    const judgedAt = changes
    // Copied before the sums are read: what is booked in between counts twice for a moment, never not at all.
    const before = [...underWay.values()]
    try {
      const budgets = await store.listBudgets()
      const asked = judged.map((waiter) => ({ waiter, scopes: scopesNow(waiter.account(), budgets) }))
      const ledger = await readLedger(asked.flatMap(({ scopes }) => scopes))
      decideInOrder(asked, ledger, { before, judgedAt })
    } catch (error) {
      for (const waiter of judged) if (leave(waiter)) waiter.failed(error)
    }
  }

  const scopesNow = (account: Account, budgets: readonly Budget[]) => scopesOf(account, budgets, clock.now())

  async function readLedger(scopes: readonly BudgetScope[]): Promise<Ledger> {
    const queries = new Map(scopes.flatMap(({ key, query }) => (query === undefined ? [] : [[key, query] as const])))
    return new Map(
      await Promise.all([...queries].map(async ([key, query]) => [key, await store.spent(query)] as const)),
    )
  }

  /** Whoever came first is judged first, and nobody passes somebody who waits for the same money. */
  function decideInOrder(
    asked: readonly { readonly waiter: Waiter; readonly scopes: readonly BudgetScope[] }[],
    ledger: Ledger,
    { before, judgedAt }: { readonly before: readonly UnderWay[]; readonly judgedAt: number },
  ): void {
    const busy = [...before]
    const taken = new Set<string>()
    for (const { waiter, scopes } of asked) {
      if (!waiters.includes(waiter)) continue
      const sums = scopes.map((scope) => ({ scope, spent: spentOf(scope, waiter.account(), ledger) }))
      const stop = sums.find(({ scope, spent }) => spent + costIn(scope, waiter.expected) > scope.limit)
      const mayGo = sums.every((sum) => !taken.has(sum.scope.key) && fitsLimit(sum, waiter, busy))
      if (stop !== undefined) {
        leave(waiter)
        waiter.settled(stopFor(stop, judgedAt))
      } else if (mayGo) {
        leave(waiter)
        const keys = scopes.map(({ key }) => key)
        busy.push({ ...waiter, keys })
        underWay.set(waiter.id, { expected: waiter.expected, maximum: waiter.maximum, keys })
        waiter.settled(null)
      } else {
        for (const { key } of scopes) taken.add(key)
      }
    }
  }

  /** False when it has left already. */
  function leave(waiter: Waiter): boolean {
    const isWaiting = waiters.includes(waiter)
    waiters = waiters.filter((other) => other !== waiter)
    return isWaiting
  }

  function release(id: string): void {
    if (underWay.delete(id)) void judge()
  }

  function reserve(reservation: Reservation, signal: AbortSignal): Promise<BudgetStop | null> {
    return new Promise((resolve, reject) => {
      const leaveEarly = () => {
        leave(waiter)
        reject(signal.reason)
        void judge()
      }
      const waiter: Waiter = {
        ...reservation,
        settled: (stop) => {
          signal.removeEventListener('abort', leaveEarly)
          resolve(stop)
        },
        failed: (error) => {
          signal.removeEventListener('abort', leaveEarly)
          reject(error)
        },
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', leaveEarly, { once: true })
      waiters.push(waiter)
      void judge()
    })
  }

  async function stopOf(account: Account): Promise<BudgetStop | null> {
    const judgedAt = changes
    const scopes = scopesNow(account, await store.listBudgets())
    const ledger = await readLedger(scopes)
    for (const scope of scopes) {
      const spent = spentOf(scope, account, ledger)
      if (spent >= scope.limit) return stopFor({ scope, spent }, judgedAt)
    }
    return null
  }

  async function warnings(account: Account, booked: Cost): Promise<readonly EventDraft<'BudgetWarning'>[]> {
    const scopes = scopesNow(account, await store.listBudgets())
    const ledger = await readLedger(scopes)
    const drafts: EventDraft<'BudgetWarning'>[] = []
    for (const scope of scopes) {
      const spent = spentOf(scope, account, ledger)
      const mark = warnAt * scope.limit
      // A session's own sum passes the mark in one booking, which its writer sees alone; other sums have many writers.
      const isGiven = scope.budget === undefined && spent - costIn(scope, booked) >= mark
      if (spent < mark || isGiven) continue
      const { label, unit, limit, budget, period } = scope
      const whose = budget === undefined || period === undefined ? {} : { budgetId: budget.id, period }
      drafts.push(draft('BudgetWarning', { budget: label, ...whose, unit, spent, limit }))
    }
    return drafts
  }

  return {
    reserve,
    release,
    stopOf,
    warnings,
    judgeAgain() {
      changes += 1
      void judge()
    },
    isCurrent: ({ judgedAt }) => judgedAt === changes,
    dollarBudgets: async (account) =>
      scopesNow(account, await store.listBudgets()).flatMap(({ budget }) => (budget?.unit === 'usd' ? [budget] : [])),
  }
}

/** Requests without a price pass dollar limits: whether they may is decided before. */
const costIn = ({ unit }: BudgetScope, cost: Cost): number => (unit === 'usd' ? (cost.usd ?? 0) : cost.units)

const spentOf = ({ key, unit, query }: BudgetScope, account: Account, ledger: Ledger): number =>
  query === undefined ? account.spentUsd : (ledger.get(key)?.[unit] ?? 0)

interface ScopeSum {
  readonly scope: BudgetScope
  readonly spent: number
}

/** Even if all under way cost their most, something is left for this one; and what is usual for all of them fits. */
function fitsLimit({ scope, spent }: ScopeSum, { expected }: Reservation, underWay: readonly UnderWay[]): boolean {
  const here = underWay.filter(({ keys }) => keys.includes(scope.key))
  if (here.length === 0) return true
  const maximum = sum(here.map((one) => costIn(scope, one.maximum)))
  const reserved = sum(here.map((one) => costIn(scope, one.expected)))
  return spent + maximum < scope.limit && spent + reserved + costIn(scope, expected) <= scope.limit
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function stopFor({ scope, spent }: ScopeSum, judgedAt: number): BudgetStop {
  const { budget, label, unit, limit } = scope
  const whose = budget === undefined ? 'this session' : label
  const remainder = spent >= limit ? '' : ': the next request does not fit into the rest'
  const message = `budget limit reached: ${whose} has spent ${amountOf(spent, scope)}${remainder}`
  return { ...(budget === undefined ? {} : { budget }), label, unit, spent, limit, message, judgedAt }
}
