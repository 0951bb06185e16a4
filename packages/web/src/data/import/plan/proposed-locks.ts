import type { PlannedColumn } from '../../domain/import-plan.ts'
import { personalColumns } from '../columns/personal-column.ts'
import type { TypeGuess } from '../columns/type-guess.ts'
import type { NamedColumn } from './column-names.ts'

/** Rows sampled to find personal columns. */
export const personalRows = 500

/** The columns with their detected types, and what the user should know about these. */
export function guessedColumns(
  named: readonly NamedColumn[],
  guesses: readonly TypeGuess[],
  valuesAt: (index: number) => readonly string[],
): { readonly columns: readonly PlannedColumn[]; readonly remarks: readonly string[] } {
  const locks = proposedLocks(named, valuesAt)
  return {
    columns: named.map((column, index) => {
      const { type = 'VARCHAR', reading } = guesses[index] ?? {}
      return { ...column, type, ...locks[index], ...(reading && { reading }) }
    }),
    remarks: named.flatMap(({ name }, index) => {
      const remark = guesses[index]?.remark
      return remark === undefined ? [] : [`"${name}" ${remark}.`]
    }),
  }
}

/** Columns that look personal start locked: a lock can be removed later, but sent data cannot be taken back. */
export const proposedLocks = (
  columns: readonly NamedColumn[],
  valuesAt: (index: number) => readonly string[],
): readonly Pick<PlannedColumn, 'personal' | 'isLocked'>[] =>
  personalColumns(columns.map(({ sourceName }, index) => ({ sourceName, values: valuesAt(index) }))).map((reason) =>
    reason === null ? {} : { personal: reason, isLocked: true },
  )
