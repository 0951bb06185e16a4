import { type Budget, type BudgetId, QuarterdeckError, type UsageGroup, type UsageRow } from '@quarterdeck/protocol'
import { periodStart } from '../../money/budget-period.ts'
import { appliesTo, nameIn } from '../../money/budget-scope.ts'
import { findShapes } from '../../redaction/secret-shapes.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { LedgerFilter, LedgerRow, MoneyStore, Spender, StoredBudget } from '../../store/ports/money-store.ts'
import type { SessionOperations } from '../session-service.ts'
import { type ResumeFundedOptions, resumeFundedSessions } from '../turns/resume-funded-sessions.ts'

export interface BudgetOperationsOptions extends ResumeFundedOptions {
  readonly store: EventStore
}

export function createBudgetOperations(options: BudgetOperationsOptions) {
  const { store, clock, ids, money } = options

  async function withSpent(budget: StoredBudget, spender: Spender = {}): Promise<Budget> {
    const { id, scope, subject, period, unit, limit, createdBy, createdAt } = budget
    const from = periodStart(period, clock.now())
    const whose = subject === '*' ? nameIn(spender, scope) : subject
    const sums =
      whose === undefined
        ? [...(await store.spentByEach({ scope, from })).values()]
        : [await store.spent({ scope, subject: whose, from })]
    return {
      budgetId: id,
      subject: scope === 'all' ? null : subject,
      spent: Math.max(0, ...sums.map((sum) => sum[unit])),
      scope,
      period,
      unit,
      limit,
      createdBy,
      createdAt,
    }
  }

  const resumeFunded = (by: string) => resumeFundedSessions(options, by)

  return {
    usage: createUsageOperation(store),
    async listBudgets(spender = {}) {
      const holding = (await store.listBudgets()).filter((budget) => appliesTo(budget, spender))
      return { budgets: await Promise.all(holding.map((budget) => withSpent(budget, spender))) }
    },

    async createBudget({ scope, subject = '', period, unit, limit }, by) {
      if (findShapes(subject).length > 0) {
        throw new QuarterdeckError('request.invalid', 'the subject looks like a key: name an agent or a user')
      }
      const id = ids.next('bud')
      const budget = { id, scope, subject, period, unit, limit, createdAt: clock.now().toISOString(), createdBy: by }
      await store.saveBudget(budget, by)
      money.limitsChanged()
      return withSpent(budget)
    },

    async changeBudget(budgetId, { limit }, by) {
      const budget = await store.changeBudget(budgetId, limit, by)
      if (budget === null) throw unknownBudget(budgetId)
      await resumeFunded(by)
      return withSpent(budget)
    },

    async removeBudget(budgetId, by) {
      const wasThere = await store.deleteBudget(budgetId, by)
      // Even if the budget is gone already: this may be a retry after sessions could not be resumed.
      await resumeFunded(by)
      if (!wasThere) throw unknownBudget(budgetId)
      return { budgetId }
    },
  } satisfies Partial<SessionOperations>
}

const unknownBudget = (budgetId: BudgetId) => new QuarterdeckError('budget.not-found', `there is no budget ${budgetId}`)

/** Needs only the ledger, so that it also works on a data folder without an engine. */
export function createUsageOperation(store: Pick<MoneyStore, 'usage'>): SessionOperations['usage'] {
  return async ({ by, from, to, ...filter }) => {
    const groupBy = [...new Set(by.split(','))] as UsageGroup[] // the schema allows nothing else
    const given = Object.fromEntries(Object.entries(filter).filter(([, name]) => name !== undefined)) as LedgerFilter // the same shape without undefined
    const asked = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), filter: given }
    const [rows, [total]] = await Promise.all([
      store.usage({ ...asked, groupBy }),
      store.usage({ ...asked, groupBy: [] }),
    ])
    return { rows: rows.map(rowOf), total: total === undefined ? nothing : rowOf(total) }
  }
}

const nothing: UsageRow = {
  requests: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  units: 0,
  savedUsd: 0,
  hasUnpricedUsage: false,
  simulatedRequests: 0,
  simulatedUsd: 0,
}

const rowOf = ({ group, highCostUsd, hasUnpriced, hasEstimated: _, ...sum }: LedgerRow): UsageRow => ({
  ...group,
  ...sum,
  savedUsd: highCostUsd - sum.costUsd,
  hasUnpricedUsage: hasUnpriced,
})
