import type { BudgetId, SessionId } from '@quarterdeck/protocol'
import type { AuditDraft } from '../../audit/audit-entry.ts'
import type { Booking, Budget, MoneyStore, Spent } from '../ports/money-store.ts'
import { budgetEntry } from '../sql/audit/change-entries.ts'
import { dayOf, spendingOf } from '../sql/ledger/spending.ts'
import type { WarningMark } from '../sql/ledger/warn-once.ts'
import { sumUsage } from './sum-usage.ts'

/** All but the answers that have only begun. */
export interface MemoryMoney extends Omit<MoneyStore, 'noteBegun' | 'begunAnswers' | 'dropBegun'> {
  book(booking: Booking): void
  /** The API messages a session has paid for. */
  bookedOf(sessionId: SessionId): readonly string[]
  isWarningDue(mark: WarningMark): boolean
  markWarned(mark: WarningMark): void
}

export function createMemoryMoney(note: (draft: AuditDraft) => void): MemoryMoney {
  const bookings: Booking[] = []
  const budgets = new Map<BudgetId, Budget>()
  const warnings = new Map<BudgetId, Set<string>>()
  const ofSession = (sessionId: SessionId) => bookings.filter((booking) => booking.sessionId === sessionId)

  function spentBy(scope: Budget['scope'], from: string | null): Map<string, Spent> {
    const sums = new Map<string, Spent>()
    for (const spending of bookings.flatMap(spendingOf)) {
      if (spending.scope !== scope || (from !== null && spending.day < dayOf(from))) continue
      const before = sums.get(spending.subject) ?? { usd: 0, units: 0 }
      sums.set(spending.subject, { usd: before.usd + spending.usd, units: before.units + spending.units })
    }
    return new Map([...sums].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  function save(budget: Budget, by: string): void {
    budgets.set(budget.id, budget)
    warnings.delete(budget.id)
    note(budgetEntry('budget.saved', budget, by))
  }

  return {
    book: (booking) => void bookings.push(booking),
    bookedOf: (sessionId) => ofSession(sessionId).map((booking) => booking.apiMessageId),
    isWarningDue: ({ budgetId, key }) => budgets.has(budgetId) && !warnings.get(budgetId)?.has(key),
    markWarned: ({ budgetId, key }) => void warnings.set(budgetId, (warnings.get(budgetId) ?? new Set()).add(key)),
    ledger: async (sessionId) => ofSession(sessionId),
    usage: async (query) => sumUsage(bookings, query),
    spent: async ({ scope, subject, from }) => spentBy(scope, from).get(subject) ?? { usd: 0, units: 0 },
    spentByEach: async ({ scope, from }) => spentBy(scope, from),
    listBudgets: async () =>
      [...budgets.values()].sort((one, other) =>
        `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? -1 : 1,
      ),
    saveBudget: async (budget, by) => save({ ...budget }, by),
    async changeBudget(id, limit, by) {
      const before = budgets.get(id)
      if (before === undefined) return null
      const budget = { ...before, limit }
      save(budget, by)
      return budget
    },
    async deleteBudget(id, by) {
      const budget = budgets.get(id)
      if (budget === undefined) return false
      budgets.delete(id)
      warnings.delete(id)
      note(budgetEntry('budget.deleted', budget, by))
      return true
    },
  }
}
