import type { PlannedColumn } from '../../domain/import-plan.ts'
import { personalColumns } from '../columns/personal-column.ts'
import type { NamedColumn } from './column-names.ts'

/** Rows sampled to find personal columns. */
export const personalRows = 500

/** Columns that look personal start locked: a lock can be removed later, but sent data cannot be taken back. */
export const proposedLocks = (
  columns: readonly NamedColumn[],
  valuesAt: (index: number) => readonly string[],
): readonly Pick<PlannedColumn, 'personal' | 'isLocked'>[] =>
  personalColumns(columns.map(({ sourceName }, index) => ({ sourceName, values: valuesAt(index) }))).map((reason) =>
    reason === null ? {} : { personal: reason, isLocked: true },
  )
