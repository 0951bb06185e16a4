// `limits.units_per_day` of an agent file is an ordinary budget: it warns, stops sessions, and resets every day.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { budgetIdOf } from './ensure-budgets.ts'

/** The creator shown in the audit and in the list. */
const fromFile = 'agent file'

/** Creates, updates or deletes the budget as the file says. Returns whether anything changed. */
export async function ensureFileBudget(
  { store, clock }: { readonly store: EventStore; readonly clock: Clock },
  { name, unitsPerDay }: Pick<AgentDefinition, 'name' | 'unitsPerDay'>,
): Promise<boolean> {
  const id = budgetIdOf([fromFile, name])
  const known = (await store.listBudgets()).find((budget) => budget.id === id)
  if (unitsPerDay === null) return known !== undefined && (await store.deleteBudget(id, fromFile))
  if (known?.limit === unitsPerDay) return false
  const createdAt = known?.createdAt ?? clock.now().toISOString()
  const budget = { scope: 'agent', subject: name, period: 'day', unit: 'units', limit: unitsPerDay } as const
  await store.saveBudget({ id, ...budget, createdAt, createdBy: fromFile }, fromFile)
  return true
}

/** Budgets of agents that no longer exist: their files are not watched any more. */
export async function removeOrphanedFileBudgets(
  store: Pick<EventStore, 'listBudgets' | 'deleteBudget'>,
  agentNames: readonly string[],
): Promise<void> {
  for (const { id, createdBy, subject } of await store.listBudgets()) {
    if (createdBy === fromFile && !agentNames.includes(subject)) await store.deleteBudget(id, fromFile)
  }
}
