// Suggests joins: the tables, the columns, and the match rate.
import { quoteName } from '../domain/cells.ts'
import type { QueryEngine, TableFacts } from '../domain/query-engine.ts'
import type { JoinSide, JoinSuggestion } from '../domain/table-profile.ts'
import { type JoinPair, joinPairs } from './join-pairs.ts'

const mostSuggestions = 10
const mostPairs = 24
const leastRate = 0.2
/** A side with more duplicates than this would multiply the rows of the other. */
const leastUnique = 0.9

/** Best first. The right side has unique values. */
export async function suggestJoins(
  engine: QueryEngine,
  tables: readonly Pick<TableFacts, 'name' | 'columns' | 'rowCount'>[],
  signal?: AbortSignal,
): Promise<readonly JoinSuggestion[]> {
  const rowsOf = new Map(tables.map(({ name, rowCount }) => [name, rowCount]))
  const found: JoinSuggestion[] = []
  for (const pair of joinPairs(tables).slice(0, mostPairs)) {
    const { rows } = await engine.read(matchSql(pair), { author: 'person', maxRows: 1, timeoutMs: 60_000, signal })
    const [left = 0, right = 0, shared = 0] = (rows[0] ?? []).map((cell) => Number(cell ?? 0))
    const unique = (side: JoinSide, distinct: number) => distinct / Math.max(1, rowsOf.get(side.table) ?? 0)
    const suggestions = [
      { ...pair, matchRate: shared / Math.max(1, left), unique: unique(pair.right, right) },
      { left: pair.right, right: pair.left, matchRate: shared / Math.max(1, right), unique: unique(pair.left, left) },
    ]
    const [best] = suggestions
      .filter((one) => one.unique >= leastUnique && one.matchRate >= leastRate)
      .sort((one, other) => other.unique - one.unique)
    if (best !== undefined) found.push({ left: best.left, right: best.right, matchRate: best.matchRate })
  }
  return found.sort((one, other) => other.matchRate - one.matchRate).slice(0, mostSuggestions)
}

/** Distinct values of both sides, and how many of them match. */
function matchSql({ left, right }: JoinPair): string {
  const distinct = ({ table, column }: JoinSide) =>
    `(SELECT DISTINCT ${quoteName(column)} AS v FROM ${quoteName(table)} WHERE ${quoteName(column)} IS NOT NULL)`
  return [
    `WITH a AS MATERIALIZED ${distinct(left)}, b AS MATERIALIZED ${distinct(right)}`,
    'SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT count(*) FROM a SEMI JOIN b USING (v))',
  ].join(' ')
}
