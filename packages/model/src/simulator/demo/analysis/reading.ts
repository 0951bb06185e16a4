// What a question comes to: a task over one table, or over two that are joined.
import type { KnownColumn, KnownTable } from './known-tables.ts'
import type { TimeUnit } from './question-words.ts'
import type { Source } from './sql-parts.ts'

export interface ColumnRef {
  readonly name: string
  readonly table: KnownTable
  readonly column: KnownColumn
}

export interface Measure {
  readonly sql: string
  /** Names the column of the result, and the number in the answer. */
  readonly label: string
  /** Columns without which a row does not count, as SQL. */
  readonly needs: readonly string[]
  readonly isPercent?: boolean
  /** "There are 7 of them", not "it is 7". */
  readonly isCount?: boolean
}

export interface Group {
  readonly sql: string
  readonly label: string
  readonly order?: string
  /** Its values are days that stand for this. */
  readonly unit?: TimeUnit
}

export interface Filter {
  readonly sql: string
  readonly words: string
}

/** Single rows. */
export interface ListTask {
  readonly type: 'list'
  /** `null` is as they lie in the table. */
  readonly order: { readonly ref: ColumnRef; readonly direction: 'down' | 'up' } | null
  readonly from: 'first' | 'last'
  readonly limit: number
}

export type Task =
  | { readonly type: 'rows' }
  | ListTask
  | { readonly type: 'values'; readonly measures: readonly Measure[] }
  | {
      readonly type: 'groups'
      readonly group: Group
      readonly measure: Measure
      readonly order: 'down' | 'up' | 'own'
      readonly limit: number
      /** What may explain the first of them. */
      readonly reasons: readonly Group[]
    }
  | {
      readonly type: 'trend'
      readonly group: Group
      readonly unit: TimeUnit
      readonly measure: Measure
      readonly isRunningTotal: boolean
      readonly order: 'down' | 'up' | null
    }
  | { readonly type: 'missing'; readonly time: { readonly group: Group; readonly column: string } | null }
  | { readonly type: 'duplicates'; readonly column: KnownColumn | null }
  | { readonly type: 'distribution'; readonly column: KnownColumn; readonly by: 'values' | 'parts' }
  | { readonly type: 'correlation'; readonly x: KnownColumn; readonly y: KnownColumn }
  | { readonly type: 'overview' }

export interface Reading {
  readonly source: Source
  readonly task: Task
  readonly filters: readonly Filter[]
  /** What was wanted and is not there. */
  readonly caveats: readonly string[]
}

/** Two columns fit equally well. */
export interface Doubt {
  readonly options: readonly string[]
}
