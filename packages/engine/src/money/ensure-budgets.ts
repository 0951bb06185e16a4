import { createHash } from 'node:crypto'
import { BudgetBody, BudgetId } from '@quarterdeck/protocol'
import type { Clock, EventStore } from '../store/ports/event-store.ts'

/** Who made them, in the audit and in the list: also how those that left the file are found. */
const configured = 'config.yaml'

/** The budgets of the file are there as the file says them, and those it no longer names are gone. */
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

/** The same line of the file is the same budget after a restart, with another limit too. */
function idOf({ scope, subject = '', period, unit = 'usd' }: BudgetBody): BudgetId {
  const name = JSON.stringify([scope, subject, period, unit])
  return BudgetId.parse(`bud_${createHash('sha256').update(name).digest('hex').slice(0, 26)}`)
}
