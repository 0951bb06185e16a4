// Which tables are in the scope of an analysis without a choice of the user.
import type { ImportedTable } from '../domain/imported-table.ts'

/** Every table in scope is described to the model, so further tables must be chosen by the user. */
const maxDefaultTables = 10

/** Tables that join a scope automatically. */
export const joining = (tables: readonly ImportedTable[]): readonly string[] =>
  tables.filter(({ joinsByHand }) => joinsByHand !== true).map(({ name }) => name)

/** The scope of a new analysis: tables with rows, and the newest of these if there are too many. */
export function firstScope(tables: readonly ImportedTable[]): readonly string[] {
  const filled = tables.filter(({ rowCount }) => rowCount > 0)
  const newest = filled.toSorted((one, other) => other.addedAt.localeCompare(one.addedAt))
  const chosen = new Set(joining(newest).slice(0, maxDefaultTables))
  return joining(filled).filter((name) => chosen.has(name))
}

/** Adds new tables to the scope of an open analysis, up to the limit of a new one. */
export function joinedScope(scope: readonly string[], added: readonly ImportedTable[]): readonly string[] {
  const free = Math.max(0, maxDefaultTables - scope.length)
  const others = joining(added).filter((name) => !scope.includes(name))
  return [...scope, ...others.slice(0, free)]
}
