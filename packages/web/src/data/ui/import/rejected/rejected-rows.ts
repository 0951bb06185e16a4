import type { ImportCheck, ImportPlan } from '../../../domain/import-plan.ts'

/** Rows of all chosen tables that would not be added. */
export const rejectedRowsOf = (check: ImportCheck | null): number =>
  (check?.tables ?? []).reduce((sum, table) => sum + (table?.rejectedRows ?? 0), 0)

/** In these formats one value that does not fit rejects the whole file, not only its row. */
export const rejectsWholeFile = ({ format }: ImportPlan): boolean => format === 'parquet' || format === 'arrow'
