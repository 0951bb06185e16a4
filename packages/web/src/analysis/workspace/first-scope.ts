import type { KeptTable } from '../kept-table.ts'

/** More tables than this are only in a question because a person chose them: each of them is described to the model. */
const mostUnchosen = 10

/** Those that a question is about without being chosen. */
export const joining = (tables: readonly KeptTable[]): readonly string[] =>
  tables.filter(({ joinsByHand }) => joinsByHand !== true).map(({ name }) => name)

/** What a new analysis is about: the tables that have rows, of many the ones added last. */
export function firstScope(tables: readonly KeptTable[]): readonly string[] {
  const filled = tables.filter(({ rowCount }) => rowCount > 0)
  const newest = filled.toSorted((one, other) => other.addedAt.localeCompare(one.addedAt))
  const chosen = new Set(joining(newest).slice(0, mostUnchosen))
  return joining(filled).filter((name) => chosen.has(name))
}

/** Tables that are added while an analysis is open join its scope, up to as many as a new one has. */
export function joinedScope(scope: readonly string[], added: readonly KeptTable[]): readonly string[] {
  const free = Math.max(0, mostUnchosen - scope.length)
  const others = joining(added).filter((name) => !scope.includes(name))
  return [...scope, ...others.slice(0, free)]
}
