import { type Cell, type ColumnKind, quoteName } from '../domain/cells.ts'
import type { ColumnProfile } from '../domain/table-profile.ts'
import type { AskTable } from './ask-table.ts'
import type { ColumnFacts } from './column-facts.ts'

const most = 8
/** Longer values are cut, because a cell may be a whole document. */
const longest = 200

/** The most frequent values by column; none if nearly every row is different. */
export async function findTopValues(
  { from, rows }: AskTable,
  facts: readonly ColumnFacts[],
): Promise<readonly ColumnProfile['top'][]> {
  const parts = facts.flatMap((one, index) => (hasFrequent(one) ? [partOf(from, one, index)] : []))
  if (parts.length === 0) return facts.map(() => [])
  const found = await rows(parts.join(' UNION ALL '))
  return facts.map(({ kind }, index) =>
    found
      .filter(([at]) => Number(at) === index)
      .map(([, value, count]) => ({ value: typed(value ?? null, kind), count: Number(count) }))
      .sort((one, other) => other.count - one.count),
  )
}

/** Numbers and dates have a range; their values are listed only if there are few. */
function hasFrequent({ kind, distinct, count, isUnique }: ColumnFacts): boolean {
  if (count === 0 || isUnique || kind === 'other') return false
  return kind === 'text' || kind === 'yes-no' ? distinct <= Math.max(20, count / 2) : distinct <= 50
}

function partOf(from: string, { column }: ColumnFacts, index: number): string {
  const name = quoteName(column.name)
  const value = `left(${name}::VARCHAR, ${longest})`
  const order = 'ORDER BY n DESC, v'
  return `(SELECT ${index} AS c, ${value} AS v, count(*) AS n FROM ${from} WHERE ${name} IS NOT NULL GROUP BY v ${order} LIMIT ${most})`
}

function typed(value: Cell, kind: ColumnKind): Cell {
  if (kind === 'yes-no') return value === null ? null : value === 'true'
  return kind === 'number' && typeof value === 'string' ? Number(value) : value
}
