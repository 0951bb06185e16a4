// Converts values of a file to the types of its plan. A misfit rejects its row, with position and reason.
import { type Cell, type CellColumn, exactText } from '../../domain/cells.ts'
import type { PlannedColumn } from '../../domain/import-plan.ts'
import { misfitLabel } from '../../domain/misfit-label.ts'
import type { Rejected } from '../../domain/query-engine.ts'
import { asType } from '../columns/as-type.ts'
import { type RawTable, rowOf } from '../formats/raw-table.ts'

const maxRejectedStored = 1000

export function typeRaw(table: RawTable, planned: readonly PlannedColumn[]) {
  /** The first column that does not fit, by row. */
  const refused = new Map<number, number>()
  const columns = table.columns.flatMap(({ values }, index): CellColumn[] => {
    const { name, type = null, reading } = planned[index] ?? { name: '' }
    if (type === null) return []
    if (isOfType(values, type)) return [{ name, type, values }]
    const typed = values.map((value, row) => {
      const cell = asType(value, type, reading)
      if (cell !== undefined) return cell
      if (!refused.has(row)) refused.set(row, index)
      return null
    })
    return [{ name, type, values: typed }]
  })
  if (refused.size === 0) return { columns, rejectedCount: 0, rejected: [] }
  const rejected = [...refused].sort(([one], [other]) => one - other).slice(0, maxRejectedStored)
  return {
    columns: columns.map((column) => ({ ...column, values: column.values.filter((_, row) => !refused.has(row)) })),
    rejectedCount: refused.size,
    rejected: rejected.map((found) => rejectedRow(table, planned, found)),
  }
}

/** Most columns have the planned type already and are not copied. */
function isOfType(values: readonly Cell[], type: string): boolean {
  if (type === 'VARCHAR') return values.every((value) => value === null || typeof value === 'string')
  if (type === 'BOOLEAN') return values.every((value) => value === null || typeof value === 'boolean')
  if (type === 'DOUBLE') return values.every((value) => value === null || typeof value === 'number')
  return type === 'BIGINT' && values.every((value) => value === null || Number.isSafeInteger(value))
}

function rejectedRow(
  table: RawTable,
  planned: readonly PlannedColumn[],
  [row, index]: readonly [number, number],
): Rejected {
  const { name = null, type = null } = planned[index] ?? {}
  const problem = misfitLabel(exactText(table.columns[index]?.values[row] ?? null), type ?? 'VARCHAR')
  const text = rowOf(table, row).map(exactText).join(', ')
  return { line: table.lineOf(row), column: name, problem, text: text.slice(0, 2000) }
}
