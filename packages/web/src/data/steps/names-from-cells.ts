// Whether the names of a step's columns can be cells: a PIVOT names columns after them, and so may code.
import { stepsBehind, textOf, type WrittenStep } from './step-texts.ts'

/**
 * By the letters of its text and of all it reads: in doubt they are cells. Any other query has the names its tables and its
 * own words give it, whatever is in the rows.
 */
export const hasNamesFromCells = (step: WrittenStep, steps: readonly WrittenStep[]): boolean =>
  stepsBehind(step, steps).some((one) => one.language !== 'sql' || /(?<!\bun)pivot/i.test(textOf(one)))
