import type { PlannedColumn } from '../../domain/import-plan.ts'
import type { TypeGuess } from '../columns/type-guess.ts'
import type { NamedColumn } from './column-names.ts'
import { proposedLocks } from './proposed-locks.ts'

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
