// Edits of an import plan by the user.

import type { Rows } from '../../../domain/cells.ts'
import type { ImportCheck, ImportPlan, PlannedColumn, PlannedTable } from '../../../domain/import-plan.ts'
import type { ImportedTable } from '../../../domain/imported-table.ts'
import { isSameName } from '../../../domain/same-name.ts'
import { freeName, stemOf, tableName } from '../../../import/plan/table-name.ts'
import { isStepName } from '../../../sql/reserved-names.ts'

const withTables = (plan: ImportPlan, change: (table: PlannedTable, at: number) => PlannedTable): ImportPlan => ({
  ...plan,
  tables: plan.tables.map(change),
})

export const withTable = (plan: ImportPlan, index: number, change: Partial<PlannedTable>): ImportPlan =>
  withTables(plan, (table, at) => (at === index ? { ...table, ...change } : table))

export function withColumn(table: PlannedTable, index: number, change: Partial<PlannedColumn>): PlannedTable {
  return { ...table, columns: table.columns.map((column, at) => (at === index ? { ...column, ...change } : column)) }
}

/** "Treat as empty" applies to one type: another type has other misfits. */
export function withoutMisfits({ reading }: Pick<PlannedColumn, 'reading'>): Pick<PlannedColumn, 'reading'> {
  if (reading === undefined) return {}
  const { misfits: _, ...others } = reading
  return { reading: others }
}

export const chosenTables = (plan: ImportPlan): readonly PlannedTable[] =>
  plan.tables.filter(({ isChosen }) => isChosen)

/** The name of a detected table without clashes. */
export const foundName = ({ file }: ImportPlan, { part }: PlannedTable): string => tableName(part ?? stemOf(file), [])

interface NamesInUse {
  readonly taken: readonly string[]
  /** Names of tables that the file is read for: they stay. */
  readonly replaces: readonly string[]
}

/** Avoids the names of existing tables: a table is replaced only if the user chose so. */
export function withFreeNames(plan: ImportPlan, { taken, replaces }: NamesInUse): ImportPlan {
  const used = taken.filter((name) => !replaces.includes(name))
  return withTables(plan, (table) => {
    if (!table.isChosen) return table
    const { name: planned } = table
    const name = replaces.includes(planned) ? planned : freeName(planned, foundName(plan, table), used)
    used.push(name)
    return { ...table, name }
  })
}

interface NamesThere {
  /** Names of existing tables. */
  readonly names: readonly string[]
  /** Those that the user chose to replace. */
  readonly agreed: readonly string[]
}

/** A table that another tab added during the review stays: the new one gets another name. */
export function withUnusedNames(plan: ImportPlan, { names, agreed }: NamesThere): ImportPlan {
  const isTaken = ({ isChosen, name }: PlannedTable) => isChosen && hasName(names, name) && !hasName(agreed, name)
  if (!plan.tables.some(isTaken)) return plan
  const own = chosenTables(plan).map(({ name }) => name)
  return withTables(plan, (table) =>
    isTaken(table) ? { ...table, name: freeName(table.name, foundName(plan, table), [...names, ...own]) } : table,
  )
}

/** First rows are not stored; an empty table still has its columns. */
export const hasPreview = ({ preview }: PlannedTable): boolean => preview.columns.length > 0

/** A stored plan with the first rows of the file read again; the user's choices stay. */
export function withPreviews(plan: ImportPlan, found: ImportPlan): ImportPlan {
  return withTables(plan, (table) => {
    const again = found.tables.find(({ part }) => part === table.part)
    return again === undefined ? table : { ...table, preview: again.preview }
  })
}

/** With the readings that the check completed, so that the import parses values in the same way. */
export function withCheckedReadings(plan: ImportPlan, check: ImportCheck | null): ImportPlan {
  if (check === null) return plan
  return withTables(plan, (table, at) => {
    const columns = table.columns.map((column, index) => {
      const reading = check.tables[at]?.columns[index]?.reading
      return reading === undefined ? column : { ...column, reading }
    })
    return { ...table, columns }
  })
}

/** For a file that is read again: takes over the current locks of its tables. */
export function lockedAs(plan: ImportPlan, tables: readonly Pick<ImportedTable, 'name' | 'neverSent'>[]): ImportPlan {
  return withTables(plan, (planned) => {
    const table = tables.find(({ name }) => isSameName(name, planned.name))
    if (table === undefined) return planned
    const columns = planned.columns.map(({ isLocked: _, ...column }) =>
      column.personal !== undefined && hasName(table.neverSent, column.name) ? { ...column, isLocked: true } : column,
    )
    return { ...planned, columns }
  })
}

/** Why this plan cannot be imported, or `null`. */
export function problemOf(plan: ImportPlan): string | null {
  const tables = chosenTables(plan)
  if (tables.length === 0) return 'Choose at least one table.'
  for (const [index, table] of tables.entries()) {
    if (table.name.trim() === '') return 'Enter a name for the table.'
    if (isStepName(table.name)) return `“${table.name}” is reserved for analysis steps. Choose another name.`
    if (tables.some(({ name }, at) => at < index && isSameName(name, table.name)))
      return `Two tables are named “${table.name}”.`
    const columns = table.columns.filter(({ type }) => type !== null)
    if (columns.length === 0) return `All columns of “${table.name}” are left out.`
    if (columns.some(({ name }) => name.trim() === '')) return `A column of “${table.name}” has no name.`
    const seen = new Set<string>()
    // The set does not grow if the name is already in it.
    const twice = columns.find(({ name }) => seen.size === seen.add(name.toLowerCase()).size)
    if (twice !== undefined) return `Two columns of “${table.name}” are named “${twice.name}”.`
  }
  return null
}

/** The preview with the chosen names and kinds, without columns that are left out. */
export function previewOf({ columns, preview }: PlannedTable): Rows {
  const included = columns.flatMap(({ name, type }, index) => (type === null ? [] : [{ name, type, index }]))
  return { columns: included, rows: preview.rows.map((row) => included.map(({ index }) => row[index] ?? null)) }
}

/** The plan of the file with the name and types of the earlier table, where its columns still exist. */
export function likeBefore(plan: ImportPlan, before: Pick<ImportedTable, 'name' | 'columns'>): ImportPlan {
  const index = Math.max(
    0,
    plan.tables.findIndex(({ name, part }) => isSameName(part ?? name, before.name)),
  )
  return withTables(plan, (table, at) => {
    if (at !== index) return { ...table, isChosen: false }
    const columns = table.columns.map((column) => {
      const known = before.columns.find(({ name }) => isSameName(name, column.name))
      // The table keeps its own locks: a proposed lock would undo the user's choice.
      const { isLocked: _, ...unlocked } = column
      return known === undefined ? column : { ...unlocked, name: known.name, type: known.type }
    })
    return { ...table, isChosen: true, name: before.name, columns }
  })
}

export const hasName = (names: readonly string[], name: string): boolean => names.some((one) => isSameName(one, name))
