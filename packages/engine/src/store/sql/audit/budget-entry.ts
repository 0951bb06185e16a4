import type { AuditDraft } from '../../../audit/audit-entry.ts'
import type { Budget } from '../../ports/money-store.ts'

/** What the audit chain says about a change of budgets. */
export function budgetEntry(action: 'budget.saved' | 'budget.deleted', budget: Budget, by: string): AuditDraft {
  const { id, scope, subject, period, unit, limit } = budget
  return { principal: by, action, sessionId: null, subject: id, detail: { scope, subject, period, unit, limit } }
}
