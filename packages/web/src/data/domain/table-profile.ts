// The profile of a table, calculated without a model.
import type { Cell, Column, ColumnKind } from './cells.ts'

export interface TableProfile {
  readonly table: string
  readonly rowCount: number
  readonly duplicateRows: number | null
  readonly columns: readonly ColumnProfile[]
}

export interface ColumnProfile {
  readonly column: Column
  readonly kind: ColumnKind
  readonly nulls: number
  readonly distinct: number
  readonly isUnique: boolean
  /** For numbers and dates. */
  readonly range: { readonly min: Cell; readonly max: Cell } | null
  readonly quantiles: { readonly q25: Cell; readonly median: Cell; readonly q75: Cell; readonly mean: Cell } | null
  /**
   * Equal bins over the range for numbers and dates, otherwise the most frequent values: heights of the small
   * histogram.
   */
  readonly bins: readonly { readonly label: string; readonly count: number }[]
  readonly top: readonly { readonly value: Cell; readonly count: number }[]
  /** "every row the same", "text that looks like numbers", "81 % empty". */
  readonly remarks: readonly string[]
}

export interface JoinSide {
  readonly table: string
  readonly column: string
}

export interface JoinSuggestion {
  readonly left: JoinSide
  readonly right: JoinSide
  /** The share of left values that exist on the right, 0 to 1. */
  readonly matchRate: number
}
