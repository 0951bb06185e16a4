// The doors of usage and budgets.
import { BudgetBody, type BudgetId, type Budget as BudgetReply, QuarterdeckError } from '@quarterdeck/protocol'
import { holdsFor, nameIn, periodStart } from '../../money/budget-scope.ts'
import { findShapes } from '../../redaction/secret-shapes.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { Budget, Spender } from '../../store/ports/money-store.ts'
import type { BudgetOperations } from '../session-service.ts'
import { type ResumeFundedOptions, resumeFundedSessions } from '../turns/resume-funded-sessions.ts'
import { createUsageOperation } from './usage.ts'

export interface BudgetOperationsOptions extends ResumeFundedOptions {
  readonly store: EventStore
}

export function createBudgetOperations(options: BudgetOperationsOptions): BudgetOperations {
  const { store, clock, ids, money } = options

  async function withSpent(budget: Budget, spender: Spender = {}): Promise<BudgetReply> {
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

  const goOn = (by: string) => resumeFundedSessions(options, by)

  return {
    usage: createUsageOperation(store),
    async budgets(spender = {}) {
      const holding = (await store.listBudgets()).filter((budget) => holdsFor(budget, spender))
      return Promise.all(holding.map((budget) => withSpent(budget, spender)))
    },

    async createBudget(input, by) {
      const { scope, subject = '', period, unit, limit } = BudgetBody.parse(input)
      if (findShapes(subject).length > 0) {
        throw new QuarterdeckError('request.invalid', 'the subject looks like a key: name an agent or a user')
      }
      const id = ids.next('bud') as BudgetId // ids are made here, so the brand is too
      const budget = { id, scope, subject, period, unit, limit, createdAt: clock.now().toISOString(), createdBy: by }
      await store.saveBudget(budget, by)
      money.limitsChanged()
      return withSpent(budget)
    },

    async changeBudget(budgetId, limit, by) {
      const budget = await store.changeBudget(budgetId, limit, by)
      if (budget === null) throw unknownBudget(budgetId)
      await goOn(by)
      return withSpent(budget)
    },

    async removeBudget(budgetId, by) {
      const wasThere = await store.deleteBudget(budgetId, by)
      // Also where it is gone already: whoever was told that a session could not go on asks again.
      await goOn(by)
      if (!wasThere) throw unknownBudget(budgetId)
    },
  }
}

const unknownBudget = (budgetId: BudgetId) => new QuarterdeckError('budget.not-found', `there is no budget ${budgetId}`)
