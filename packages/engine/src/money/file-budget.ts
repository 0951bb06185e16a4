// `limits.units_per_day` of an agent file is a budget like any other: it warns, lets sessions rest, and has a new day.
import { createHash } from 'node:crypto'
import { type AgentDefinition, BudgetId } from '@quarterdeck/protocol'
import type { Clock, EventStore } from '../store/ports/event-store.ts'

/** Who made it, in the audit and in the list. */
const fromFile = 'agent file'

/** The budget is there as the file says, or gone with its line. True when something had to be changed for that. */
export async function ensureFileBudget(
  { store, clock }: { readonly store: EventStore; readonly clock: Clock },
  { name, unitsPerDay }: Pick<AgentDefinition, 'name' | 'unitsPerDay'>,
): Promise<boolean> {
  const id = idOf(name)
  const known = (await store.listBudgets()).find((budget) => budget.id === id)
  if (unitsPerDay === null) return known !== undefined && (await store.deleteBudget(id, fromFile))
  if (known?.limit === unitsPerDay) return false
  const createdAt = known?.createdAt ?? clock.now().toISOString()
  const budget = { scope: 'agent', subject: name, period: 'day', unit: 'units', limit: unitsPerDay } as const
  await store.saveBudget({ id, ...budget, createdAt, createdBy: fromFile }, fromFile)
  return true
}

/** Those of agents that are gone: nobody follows their files any more. */
export async function removeLeftFileBudgets(
  store: Pick<EventStore, 'listBudgets' | 'deleteBudget'>,
  agentNames: readonly string[],
): Promise<void> {
  for (const { id, createdBy, subject } of await store.listBudgets()) {
    if (createdBy === fromFile && !agentNames.includes(subject)) await store.deleteBudget(id, fromFile)
  }
}

/** The same agent's is the same budget after a restart, with another limit too. */
function idOf(agentName: string): BudgetId {
  const name = JSON.stringify([fromFile, agentName])
  return BudgetId.parse(`bud_${createHash('sha256').update(name).digest('hex').slice(0, 26)}`)
}
