// Names of new tables that avoid the existing ones of all tabs.
import type { ImportPlan } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { isSameName } from '../domain/same-name.ts'
import { freeName, stemOf, tableName } from '../import/plan/table-name.ts'

export interface NewTables {
  readonly plan: ImportPlan
  readonly fingerprint: string
  /** Names of tables that the user allowed to replace. */
  readonly replaces: readonly string[]
}

/** Keeps the name of a table of another file, unless the user allowed to replace it. `name`: from the plan. */
export function resolveTableName(
  { name, plan, fingerprint, replaces }: NewTables & { readonly name: string },
  there: readonly ImportedTable[],
): string {
  const holder = there.find((table) => isSameName(table.name, name))
  if (holder === undefined) return name
  if (holder.source.fingerprint === fingerprint || replaces.some((one) => isSameName(one, name))) return holder.name
  const own = plan.tables.filter(({ isChosen }) => isChosen)
  const part = own.find((table) => table.name === name)?.part ?? null
  const taken = [...there, ...own].map((table) => table.name)
  return freeName(name, tableName(part ?? stemOf(plan.file), []), taken)
}

export const resolvePlanNames = ({ plan, ...known }: NewTables, there: readonly ImportedTable[]): ImportPlan =>
  plan.tables
    .filter(({ isChosen }) => isChosen)
    .reduce(
      (named, { name }) => renamedPlan(named, name, resolveTableName({ ...known, name, plan: named }, there)),
      plan,
    )

export const renamedPlan = (plan: ImportPlan, from: string, to: string): ImportPlan => ({
  ...plan,
  tables: plan.tables.map((table) => (table.isChosen && table.name === from ? { ...table, name: to } : table)),
})
