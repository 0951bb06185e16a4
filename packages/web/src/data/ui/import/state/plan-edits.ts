// What a person makes of a plan before it is carried out.
import type { Rows } from '../../../domain/cells.ts'
import type { ImportCheck, ImportPlan, PlannedColumn, PlannedTable } from '../../../domain/import-plan.ts'
import type { ImportedTable } from '../../../domain/imported-table.ts'
import { freeName, stemOf, tableName } from '../../../import/plan/table-name.ts'
import { isStepName } from '../../../sql/step-name.ts'

export function withTable(plan: ImportPlan, index: number, change: Partial<PlannedTable>): ImportPlan {
  return { ...plan, tables: plan.tables.map((table, at) => (at === index ? { ...table, ...change } : table)) }
}

export function withColumn(table: PlannedTable, index: number, change: Partial<PlannedColumn>): PlannedTable {
  return { ...table, columns: table.columns.map((column, at) => (at === index ? { ...column, ...change } : column)) }
}

export const chosenTables = (plan: ImportPlan): readonly PlannedTable[] =>
  plan.tables.filter(({ isChosen }) => isChosen)

/** What a table of the file is called where no other is in the way. */
export const foundName = ({ file }: ImportPlan, { part }: PlannedTable): string => tableName(part ?? stemOf(file), [])

interface NamesInUse {
  readonly taken: readonly string[]
  /** Of tables the file is read for: they keep their names. */
  readonly replaces: readonly string[]
}

/** As it was found, but in nobody's way: a table is only ever replaced because a person said so. */
export function withFreeNames(plan: ImportPlan, { taken, replaces }: NamesInUse): ImportPlan {
  const used = taken.filter((name) => !replaces.includes(name))
  const tables = plan.tables.map((table) => {
    if (!table.isChosen) return table
    const { name: planned } = table
    const name = replaces.includes(planned) ? planned : freeName(planned, foundName(plan, table), used)
    used.push(name)
    return { ...table, name }
  })
  return { ...plan, tables }
}

interface NamesThere {
  /** Of tables that are there. */
  readonly names: readonly string[]
  /** Those of them that a person said to replace. */
  readonly agreed: readonly string[]
}

/** A table that came from another tab while the file was reviewed stays: the new one takes another name. */
export function withUnusedNames(plan: ImportPlan, { names, agreed }: NamesThere): ImportPlan {
  const isTaken = ({ isChosen, name }: PlannedTable) => isChosen && hasName(names, name) && !hasName(agreed, name)
  if (!plan.tables.some(isTaken)) return plan
  const own = chosenTables(plan).map(({ name }) => name)
  const tables = plan.tables.map((table) =>
    isTaken(table) ? { ...table, name: freeName(table.name, foundName(plan, table), [...names, ...own]) } : table,
  )
  return { ...plan, tables }
}

/** They are not kept; one of an empty table has its columns all the same. */
export const hasPreview = ({ preview }: PlannedTable): boolean => preview.columns.length > 0

/** A kept plan with the first rows of the same file looked at again; what a person chose stays. */
export function withPreviews(plan: ImportPlan, found: ImportPlan): ImportPlan {
  const tables = plan.tables.map((table) => {
    const again = found.tables.find(({ part }) => part === table.part)
    return again === undefined ? table : { ...table, preview: again.preview }
  })
  return { ...plan, tables }
}

/** With the readings that the check completed, so that the import reads values as the check did. */
export function withCheckedReadings(plan: ImportPlan, check: ImportCheck | null): ImportPlan {
  if (check === null) return plan
  const tables = plan.tables.map((table, at) => {
    const found = check.tables[at]?.columns
    if (found === undefined) return table
    const columns = table.columns.map((column, index) => {
      const reading = found[index]?.reading
      return reading === undefined ? column : { ...column, reading }
    })
    return { ...table, columns }
  })
  return { ...plan, tables }
}

/** For a file that is read again: takes over the current locks of its tables. */
export function lockedAs(plan: ImportPlan, tables: readonly Pick<ImportedTable, 'name' | 'neverSent'>[]): ImportPlan {
  const withLocks = (planned: PlannedTable): PlannedTable => {
    const table = tables.find(({ name }) => isSame(name, planned.name))
    if (table === undefined) return planned
    const columns = planned.columns.map(({ isLocked: _, ...column }) =>
      column.personal !== undefined && hasName(table.neverSent, column.name) ? { ...column, isLocked: true } : column,
    )
    return { ...planned, columns }
  }
  return { ...plan, tables: plan.tables.map(withLocks) }
}

/** Why this cannot be added as it stands, in words; `null` where it can. */
export function problemOf(plan: ImportPlan): string | null {
  const tables = chosenTables(plan)
  if (tables.length === 0) return 'Choose at least one table.'
  for (const [index, table] of tables.entries()) {
    if (table.name.trim() === '') return 'A table needs a name.'
    if (isStepName(table.name)) return `“${table.name}” is the name of a step of an analysis. Choose another.`
    if (tables.some(({ name }, at) => at < index && isSame(name, table.name)))
      return `Two tables are called “${table.name}”.`
    const columns = table.columns.filter(({ type }) => type !== null)
    if (columns.length === 0) return `No column of “${table.name}” is left.`
    if (columns.some(({ name }) => name.trim() === '')) return `A column of “${table.name}” has no name.`
    const seen = new Set<string>()
    // A set does not grow by what it has.
    const twice = columns.find(({ name }) => seen.size === seen.add(name.toLowerCase()).size)
    if (twice !== undefined) return `Two columns of “${table.name}” are called “${twice.name}”.`
  }
  return null
}

/** The first rows as they will be: under the names and kinds chosen, without what is left out. */
export function previewOf({ columns, preview }: PlannedTable): Rows {
  const kept = columns.flatMap(({ name, type }, index) => (type === null ? [] : [{ name, type, index }]))
  return { columns: kept, rows: preview.rows.map((row) => kept.map(({ index }) => row[index] ?? null)) }
}

/** The plan of the same file as the table was read before: its name and types, where the columns are still there. */
export function likeBefore(
  plan: ImportPlan,
  before: { readonly name: string; readonly columns: readonly { readonly name: string; readonly type: string }[] },
): ImportPlan {
  const index = Math.max(
    0,
    plan.tables.findIndex(({ name, part }) => isSame(part ?? name, before.name)),
  )
  const tables = plan.tables.map((table, at) => {
    if (at !== index) return { ...table, isChosen: false }
    const columns = table.columns.map((column) => {
      const known = before.columns.find(({ name }) => isSame(name, column.name))
      // The table keeps its own locks, so a proposed lock would undo the choice of the user.
      const { isLocked: _, ...unlocked } = column
      return known === undefined ? column : { ...unlocked, name: known.name, type: known.type }
    })
    return { ...table, isChosen: true, name: before.name, columns }
  })
  return { ...plan, tables }
}

export const hasName = (names: readonly string[], name: string): boolean => names.some((one) => isSame(one, name))

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
