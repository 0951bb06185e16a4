// Reserves money before a request and releases it afterwards. A limit is overshot by at most one request: requests
// under way count at their maximum cost, and the next one waits if they could use up the rest.
import { draft, type EventDraft, formatSpentOfLimit } from '@quarterdeck/protocol'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import type { StoredBudget } from '../store/ports/money-store.ts'
import { type Account, type BudgetScope, scopesOf } from './budget-scope.ts'
import type { Cost, CostEstimate } from './estimate-cost.ts'

export interface BudgetReservationsOptions {
  readonly store: Pick<EventStore, 'listBudgets' | 'spent'>
  readonly clock: Clock
}

export interface Reservation extends CostEstimate {
  /** Identifies it until it is released. */
  readonly id: string
  /** Read on each judgement: limits may change while requests wait. */
  readonly account: () => Account
}

/** The limit that refuses. */
export interface BudgetStop {
  /** Absent for the session's own limit. */
  readonly budget?: StoredBudget
  /** `session`, `user ana per month`. */
  readonly label: string
  readonly unit: StoredBudget['unit']
  readonly spent: number
  readonly limit: number
  /** The whole sentence. */
  readonly message: string
  /** The number of limit changes at the time of the judgement. */
  readonly judgedAt: number
}

export type BudgetReservations = ReturnType<typeof createBudgetReservations>

const warnAt = 0.8

interface Waiter extends Reservation {
  readonly settled: (stop: BudgetStop | null) => void
  readonly failed: (error: unknown) => void
}

interface InFlightRequest extends CostEstimate {
  readonly keys: readonly string[]
}

type Ledger = ReadonlyMap<string, { readonly usd: number; readonly units: number }>

export function createBudgetReservations({ store, clock }: BudgetReservationsOptions) {
  let waiters: Waiter[] = []
  const inFlight = new Map<string, InFlightRequest>()
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
    // Copied before the sums are read: a booking in between counts twice for a moment, but is never missed.
    const before = [...inFlight.values()]
    try {
      const budgets = await store.listBudgets()
      const asked = judged.map((waiter) => ({ waiter, scopes: scopesNow(waiter.account(), budgets) }))
      const ledger = await readLedger(asked.flatMap(({ scopes }) => scopes))
      decideInOrder(asked, ledger, { before, judgedAt })
    } catch (error) {
      for (const waiter of judged) if (leave(waiter)) waiter.failed(error)
    }
  }

  const scopesNow = (account: Account, budgets: readonly StoredBudget[]) => scopesOf(account, budgets, clock.now())

  async function readLedger(scopes: readonly BudgetScope[]): Promise<Ledger> {
    const queries = new Map(scopes.flatMap(({ key, query }) => (query === undefined ? [] : [[key, query] as const])))
    return new Map(
      await Promise.all([...queries].map(async ([key, query]) => [key, await store.spent(query)] as const)),
    )
  }

  /** First come, first served: a request never passes an earlier one that waits for the same money. */
  function decideInOrder(
    asked: readonly { readonly waiter: Waiter; readonly scopes: readonly BudgetScope[] }[],
    ledger: Ledger,
    { before, judgedAt }: { readonly before: readonly InFlightRequest[]; readonly judgedAt: number },
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
        inFlight.set(waiter.id, { expected: waiter.expected, maximum: waiter.maximum, keys })
        waiter.settled(null)
      } else {
        for (const { key } of scopes) taken.add(key)
      }
    }
  }

  /** False if it is no longer waiting. */
  function leave(waiter: Waiter): boolean {
    const isWaiting = waiters.includes(waiter)
    waiters = waiters.filter((other) => other !== waiter)
    return isWaiting
  }

  /** The cost is in the ledger, or the request failed. Ignores unknown ids. */
  function release(id: string): void {
    if (inFlight.delete(id)) void judge()
  }

  /**
   * Resolves with `null` if the request may be sent, or with the limit that refuses it. Waits while requests under way
   * could use up the rest. Rejects when the ledger is unavailable or the signal aborts.
   */
  function reserve(reservation: Reservation, signal: AbortSignal): Promise<BudgetStop | null> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        leave(waiter)
        reject(signal.reason)
        void judge()
      }
      const waiter: Waiter = {
        ...reservation,
        settled: (stop) => {
          signal.removeEventListener('abort', onAbort)
          resolve(stop)
        },
        failed: (error) => {
          signal.removeEventListener('abort', onAbort)
          reject(error)
        },
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      waiters.push(waiter)
      void judge()
    })
  }

  async function sumsOf(account: Account): Promise<readonly ScopeSum[]> {
    const scopes = scopesNow(account, await store.listBudgets())
    const ledger = await readLedger(scopes)
    return scopes.map((scope) => ({ scope, spent: spentOf(scope, account, ledger) }))
  }

  /** The limit that is already used up, if any. Reserves nothing. */
  async function stopOf(account: Account): Promise<BudgetStop | null> {
    const judgedAt = changes
    const usedUp = (await sumsOf(account)).find(({ scope, spent }) => spent >= scope.limit)
    return usedUp === undefined ? null : stopFor(usedUp, judgedAt)
  }

  /**
   * The warnings after a booking of this amount: one for each limit that passed four fifths. Those of budgets are
   * returned repeatedly: the store drops the ones already given, so a warning cannot get lost.
   */
  async function warnings(account: Account, booked: Cost): Promise<readonly EventDraft<'BudgetWarning'>[]> {
    const drafts: EventDraft<'BudgetWarning'>[] = []
    for (const { scope, spent } of await sumsOf(account)) {
      const mark = warnAt * scope.limit
      // The session's own sum passes the mark in one booking that only its writer sees; other sums have many writers.
      const isAlreadyWarned = scope.budget === undefined && spent - costIn(scope, booked) >= mark
      if (spent < mark || isAlreadyWarned) continue
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
    /** A limit has changed: judges waiting requests again. */
    judgeAgain() {
      changes += 1
      void judge()
    },
    /** Whether no limit has changed since, so that another judgement would give the same result. */
    isCurrent: ({ judgedAt }: BudgetStop): boolean => judgedAt === changes,
    /** Dollar limits other than the session's own. */
    dollarBudgets: async (account: Account): Promise<readonly StoredBudget[]> =>
      scopesNow(account, await store.listBudgets()).flatMap(({ budget }) => (budget?.unit === 'usd' ? [budget] : [])),
  }
}

/** Requests without a price pass dollar limits; whether they are allowed is decided earlier. */
const costIn = ({ unit }: BudgetScope, cost: Cost): number => (unit === 'usd' ? (cost.usd ?? 0) : cost.units)

const spentOf = ({ key, unit, query }: BudgetScope, account: Account, ledger: Ledger): number =>
  query === undefined ? account.spentUsd : (ledger.get(key)?.[unit] ?? 0)

interface ScopeSum {
  readonly scope: BudgetScope
  readonly spent: number
}

/** Something is left even if all requests under way cost their maximum, and the usual cost of all of them fits. */
function fitsLimit(
  { scope, spent }: ScopeSum,
  { expected }: Reservation,
  inFlight: readonly InFlightRequest[],
): boolean {
  const here = inFlight.filter(({ keys }) => keys.includes(scope.key))
  if (here.length === 0) return true
  const maximum = sum(here.map((one) => costIn(scope, one.maximum)))
  const reserved = sum(here.map((one) => costIn(scope, one.expected)))
  return spent + maximum < scope.limit && spent + reserved + costIn(scope, expected) <= scope.limit
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function stopFor({ scope, spent }: ScopeSum, judgedAt: number): BudgetStop {
  const { budget, label, unit, limit } = scope
  const whose = budget === undefined ? 'this session' : label
  const remainder = spent >= limit ? '' : ': the next request does not fit into the remaining budget'
  const message = `budget limit reached: ${whose} has spent ${formatSpentOfLimit({ ...scope, spent })}${remainder}`
  return { ...(budget === undefined ? {} : { budget }), label, unit, spent, limit, message, judgedAt }
}
