// Converts values of a file to the types of its plan. A misfit rejects its row, with position and reason.
import type { Cell, CellColumn } from '../../domain/cells.ts'
import type { PlannedColumn } from '../../domain/import-plan.ts'
import { misfitLabel } from '../../domain/misfit-label.ts'
import type { Rejected } from '../../domain/query-engine.ts'
import { asType } from '../columns/as-type.ts'
import { type RawTable, rowOf } from '../formats/raw-table.ts'

const maxRejectedStored = 1000

export function typeRaw(table: RawTable, planned: readonly PlannedColumn[]) {
  const refused = new Map<number, string>()
  const columns = table.columns.flatMap(({ values }, index): CellColumn[] => {
    const { name, type = null, reading } = planned[index] ?? { name: '' }
    if (type === null) return []
    if (isOfType(values, type)) return [{ name, type, values }]
    const typed = values.map((value, row) => {
      const cell = asType(value, type, reading)
      if (cell !== undefined) return cell
      if (!refused.has(row)) refused.set(row, name)
      return null
    })
    return [{ name, type, values: typed }]
  })
  if (refused.size === 0) return { columns, rejectedCount: 0, rejected: [] }
  const rejected = [...refused].sort(([one], [other]) => one - other).slice(0, maxRejectedStored)
  return {
    columns: columns.map((column) => ({ ...column, values: column.values.filter((_, row) => !refused.has(row)) })),
    rejectedCount: refused.size,
    rejected: rejected.map(([row, column]) => rejectedRow(table, { row, column, planned })),
  }
}

/** Most columns have the planned type already and are not copied. */
function isOfType(values: readonly Cell[], type: string): boolean {
  if (type === 'VARCHAR') return values.every((value) => value === null || typeof value === 'string')
  if (type === 'BOOLEAN') return values.every((value) => value === null || typeof value === 'boolean')
  if (type === 'DOUBLE') return values.every((value) => value === null || typeof value === 'number')
  return type === 'BIGINT' && values.every((value) => value === null || Number.isSafeInteger(value))
}

interface Refusal {
  readonly row: number
  readonly column: string
  readonly planned: readonly PlannedColumn[]
}

function rejectedRow(table: RawTable, { row, column, planned }: Refusal): Rejected {
  const index = planned.findIndex(({ name }) => name === column)
  const value = String(table.columns[index]?.values[row] ?? '')
  const text = rowOf(table, row)
    .map((cell) => (cell === null ? '' : String(cell)))
    .join(', ')
  const problem = misfitLabel(value, planned[index]?.type ?? 'VARCHAR')
  return { line: table.lineOf(row), column, problem, text: text.slice(0, 2000) }
}
