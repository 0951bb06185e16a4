import type { ImportPlan, PlannedTable } from '../../domain/import-plan.ts'
import { tableNameProblem } from '../../sql/table-name-problem.ts'
import { maxColumns } from '../source/file-limits.ts'
import { ImportError } from '../source/import-error.ts'

/** A plan as a person left it can be read, or it is said what has to change. */
export function checkPlan({ file, tables }: ImportPlan): void {
  const chosen = tables.filter(({ isChosen }) => isChosen)
  if (chosen.length === 0) throw new ImportError('plan', `Nothing of "${file}" is chosen.`)
  const name = doubleOf(chosen.map((table) => table.name))
  if (name !== null) throw new ImportError('plan', `Two tables are called "${name}": give one of them another name.`)
  for (const table of chosen) checkTable(table)
}

function checkTable({ name, columns }: PlannedTable): void {
  const problem = tableNameProblem(name.trim(), [])
  if (problem !== null) throw new ImportError('plan', problem)
  const names = columns.filter(({ type }) => type !== null).map((column) => column.name)
  if (names.length === 0) throw new ImportError('plan', `No column of "${name}" is left.`)
  if (names.length > maxColumns) {
    const counts = `${names.length.toLocaleString('en')} columns, and ${maxColumns.toLocaleString('en')}`
    throw new ImportError('plan', `"${name}" has ${counts} are the most a table may have here: leave some out.`)
  }
  if (names.some((column) => column.trim() === '')) throw new ImportError('plan', `A column of "${name}" has no name.`)
  const double = doubleOf(names)
  if (double === null) return
  throw new ImportError('plan', `Two columns of "${name}" are called "${double}": give one of them another name.`)
}

/** For the database names that differ in case only are the same. */
function doubleOf(names: readonly string[]): string | null {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name.toLowerCase())) return name
    seen.add(name.toLowerCase())
  }
  return null
}
