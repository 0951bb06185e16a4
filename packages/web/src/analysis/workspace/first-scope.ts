import type { KeptTable } from '../kept-table.ts'

/** Those that a question is about without being chosen. */
export const joining = (tables: readonly KeptTable[]): readonly string[] =>
  tables.filter(({ joinsByHand }) => joinsByHand !== true).map(({ name }) => name)

/** What a new analysis is about: a table without rows answers nothing. */
export const firstScope = (tables: readonly KeptTable[]): readonly string[] =>
  joining(tables.filter(({ rowCount }) => rowCount > 0))
