import { commonCount } from '../domain/disclosure.ts'
import type { QueryEngine, QueryOptions } from '../domain/query-engine.ts'
import type { SmallGroups } from '../domain/small-groups.ts'
import { sqlTokens } from '../sql/sql-names.ts'

type GroupSizes = Pick<SmallGroups, 'below' | 'smallest'>

/** Counts the rows of each group. The sizes are `null` unless the query is one SELECT that ends with its groups. */
export async function groupSizes(
  engine: Pick<QueryEngine, 'read'>,
  sql: string,
  options: Omit<QueryOptions, 'maxRows'>,
): Promise<GroupSizes> {
  const counting = withRowsOfGroup(sql)
  if (counting === null) return unknownSizes
  const rows = `"rows of a group"`
  const query = `SELECT count(*) FILTER (${rows} < ${commonCount}), min(${rows}) FROM (\n${counting}\n)`
  try {
    const [row] = (await engine.read(query, { ...options, maxRows: 1 })).rows
    const [below, smallest] = row ?? []
    return smallest === null || smallest === undefined
      ? unknownSizes
      : { below: Number(below), smallest: Number(smallest) }
  } catch (error) {
    if (options.signal?.aborted === true) throw error
    return unknownSizes
  }
}

const unknownSizes: GroupSizes = { below: null, smallest: null }

/** The query with a row count for each group, without ORDER BY and LIMIT. `null` for queries that are not one SELECT. */
export function withRowsOfGroup(sql: string): string | null {
  let [depth, at] = [0, 0]
  let from: number | null = null
  let [selects, isGrouped] = [0, false]
  for (const { kind, text } of sqlTokens(sql)) {
    const start = at
    at += text.length
    if (kind === 'other' && /[([{]/.test(text)) depth += 1
    if (kind === 'other' && /[)\]}]/.test(text)) depth -= 1
    if (depth > 0 || kind !== 'word') {
      if (kind === 'other' && text === ';') return from === null ? null : counted(sql.slice(0, start), from)
      continue
    }
    const word = text.toLowerCase()
    if (/^(union|intersect|except|distinct|pivot|unpivot|qualify)$/.test(word)) return null
    if (word === 'select') selects += 1
    if (word === 'from' && selects === 1) from ??= start
    if (word === 'group') isGrouped = true
    const isTail = /^(order|limit|offset)$/.test(word)
    if (isTail && from !== null && isGrouped) return counted(sql.slice(0, start), from)
  }
  return from === null ? null : counted(sql, from)
}

const counted = (sql: string, from: number): string =>
  `${sql.slice(0, from)}\n, count(*) AS "rows of a group"\n${sql.slice(from)}`
