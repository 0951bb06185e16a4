// Names of new tables beside those there are, whichever tab these are from.

import type { ImportPlan } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { freeName, stemOf, tableName } from '../import/plan/table-name.ts'

export interface NewTables {
  readonly plan: ImportPlan
  readonly fingerprint: string
  /** Names of tables that a person said may go for these. */
  readonly replaces: readonly string[]
}

/** A name that a table of another file has stays with it, unless a person said otherwise. `name`: one of the plan's. */
export function resolveTableName(
  { name, plan, fingerprint, replaces }: NewTables & { readonly name: string },
  there: readonly ImportedTable[],
): string {
  const holder = there.find((table) => isSame(table.name, name))
  if (holder === undefined) return name
  if (holder.source.fingerprint === fingerprint || replaces.some((one) => isSame(one, name))) return holder.name
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

/** For DuckDB names are the same in upper and lower case. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
