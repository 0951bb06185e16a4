import { formatCount } from '@quarterdeck/protocol'
import type { ImportPlan, PlannedTable } from '../../domain/import-plan.ts'
import { tableNameProblem } from '../../sql/reserved-names.ts'
import { maxColumns } from '../source/file-limits.ts'
import { ImportError } from '../source/import-error.ts'

/** Throws an `ImportError` if the edited plan cannot be imported. */
export function checkPlan({ file, tables }: ImportPlan): void {
  const chosen = tables.filter(({ isChosen }) => isChosen)
  if (chosen.length === 0) throw new ImportError('plan', `No table of "${file}" is selected.`)
  const name = doubleOf(chosen.map((table) => table.name))
  if (name !== null) throw new ImportError('plan', `Two tables are named "${name}". Rename one of them.`)
  for (const table of chosen) checkTable(table)
}

function checkTable({ name, columns }: PlannedTable): void {
  const problem = tableNameProblem(name.trim(), [])
  if (problem !== null) throw new ImportError('plan', problem)
  const names = columns.filter(({ type }) => type !== null).map((column) => column.name)
  if (names.length === 0) throw new ImportError('plan', `All columns of "${name}" are left out. Keep at least one.`)
  if (names.length > maxColumns) {
    const counts = `${formatCount(names.length)} columns, but at most ${formatCount(maxColumns)}`
    throw new ImportError('plan', `"${name}" has ${counts} are supported. Leave some out.`)
  }
  if (names.some((column) => column.trim() === '')) throw new ImportError('plan', `A column of "${name}" has no name.`)
  const double = doubleOf(names)
  if (double === null) return
  throw new ImportError('plan', `Two columns of "${name}" are named "${double}". Rename one of them.`)
}

/** The database ignores case in names. */
function doubleOf(names: readonly string[]): string | null {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name.toLowerCase())) return name
    seen.add(name.toLowerCase())
  }
  return null
}
