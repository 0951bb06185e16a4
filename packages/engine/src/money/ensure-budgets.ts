import { createHash } from 'node:crypto'
import { BudgetBody, BudgetId } from '@quarterdeck/protocol'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../store/ports/event-store.ts'

/** The creator shown in the audit and in the list; also identifies budgets that were removed from the file. */
const configured = 'config.yaml'

/** Creates or updates the budgets of the file, and deletes those it no longer lists. */
export async function ensureBudgets(
  { store, clock }: { readonly store: EventStore; readonly clock: Clock },
  bodies: readonly BudgetBody[],
): Promise<void> {
  const wanted = new Map(bodies.map((body) => [idOf(body), BudgetBody.parse(body)]))
  const there = await store.listBudgets()
  for (const { id, createdBy } of there) {
    if (createdBy === configured && !wanted.has(id)) await store.deleteBudget(id, configured)
  }
  for (const [id, { scope, subject = '', period, unit, limit }] of wanted) {
    const known = there.find((budget) => budget.id === id)
    if (known?.limit === limit) continue
    const createdAt = known?.createdAt ?? clock.now().toISOString()
    await store.saveBudget({ id, scope, subject, period, unit, limit, createdAt, createdBy: configured }, configured)
  }
}

const idOf = ({ scope, subject = '', period, unit = 'usd' }: BudgetBody): BudgetId =>
  budgetIdOf([scope, subject, period, unit])

/** A budget of a file has the same id after a restart, even with another limit. */
export const budgetIdOf = (parts: readonly string[]): BudgetId =>
  BudgetId.parse(`bud_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 26)}`)
