// What a person makes of a plan before it is carried out.
import type { Rows } from '../../analysis/cells.ts'
import type { ImportPlan, PlannedColumn, PlannedTable } from '../../analysis/import-plan.ts'

export function withTable(plan: ImportPlan, place: number, change: Partial<PlannedTable>): ImportPlan {
  return { ...plan, tables: plan.tables.map((table, at) => (at === place ? { ...table, ...change } : table)) }
}

export function withColumn(table: PlannedTable, place: number, change: Partial<PlannedColumn>): PlannedTable {
  return { ...table, columns: table.columns.map((column, at) => (at === place ? { ...column, ...change } : column)) }
}

export const chosenTables = (plan: ImportPlan): readonly PlannedTable[] =>
  plan.tables.filter(({ isChosen }) => isChosen)

/** `sales`, `sales_2`, `sales_3`: the first that is free. */
export function freeName(name: string, names: readonly string[]): string {
  const isTaken = (tried: string) => names.some((taken) => isSame(taken, tried))
  if (!isTaken(name)) return name
  const base = name.replace(/_\d+$/, '')
  for (let n = 2; ; n += 1) {
    const tried = `${base}_${n}`
    if (!isTaken(tried)) return tried
  }
}

/** As it was found, but in nobody's way: a table is only ever replaced because a person said so. */
export function withFreeNames(plan: ImportPlan, names: readonly string[]): ImportPlan {
  const used = [...names]
  const tables = plan.tables.map((table) => {
    if (!table.isChosen) return table
    const name = freeName(table.name, used)
    used.push(name)
    return { ...table, name }
  })
  return { ...plan, tables }
}

/** Why this cannot be added as it stands, in words; `null` where it can. */
export function problemOf(plan: ImportPlan): string | null {
  const tables = chosenTables(plan)
  if (tables.length === 0) return 'Choose at least one table.'
  for (const [place, table] of tables.entries()) {
    if (table.name.trim() === '') return 'A table needs a name.'
    if (/^step_\d+$/i.test(table.name)) return `“${table.name}” is the name of a step of an analysis. Choose another.`
    if (tables.some(({ name }, at) => at < place && isSame(name, table.name)))
      return `Two tables are called “${table.name}”.`
    const columns = table.columns.filter(({ type }) => type !== null)
    if (columns.length === 0) return `No column of “${table.name}” is left.`
    if (columns.some(({ name }) => name.trim() === '')) return `A column of “${table.name}” has no name.`
    const twice = columns.find(({ name }, at) =>
      columns.some((other, before) => before < at && isSame(other.name, name)),
    )
    if (twice !== undefined) return `Two columns of “${table.name}” are called “${twice.name}”.`
  }
  return null
}

/** The first rows as they will be: under the names and kinds chosen, without what is left out. */
export function previewOf({ columns, preview }: PlannedTable): Rows {
  const kept = columns.flatMap(({ name, type }, place) => (type === null ? [] : [{ name, type, place }]))
  return { columns: kept, rows: preview.rows.map((row) => kept.map(({ place }) => row[place] ?? null)) }
}

/** The plan of the same file as the table was read before: its name and types, where the columns are still there. */
export function likeBefore(
  plan: ImportPlan,
  before: { readonly name: string; readonly columns: readonly { readonly name: string; readonly type: string }[] },
): ImportPlan {
  const place = Math.max(
    0,
    plan.tables.findIndex(({ name, part }) => isSame(part ?? name, before.name)),
  )
  const tables = plan.tables.map((table, at) => {
    if (at !== place) return { ...table, isChosen: false }
    const columns = table.columns.map((column) => {
      const known = before.columns.find(({ name }) => isSame(name, column.name))
      return known === undefined ? column : { ...column, name: known.name, type: known.type }
    })
    return { ...table, isChosen: true, name: before.name, columns }
  })
  return { ...plan, tables }
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
