import type { ColumnCheck, PlannedColumn } from '../../domain/import-plan.ts'

const shownExamples = 3

/** Counts the values of a column that do not fit its type. */
export function createMisfitCounter({ reading }: Pick<PlannedColumn, 'reading'>) {
  let [values, misfits] = [0, 0]
  const examples: string[] = []
  return {
    /** `null` for a value that fits. */
    add(misfit: string | null) {
      values += 1
      if (misfit === null) return
      misfits += 1
      if (examples.length < shownExamples && !examples.includes(misfit)) examples.push(misfit)
    },
    check: (): ColumnCheck => ({ values, misfits, examples, ...(reading && { reading }) }),
  }
}
