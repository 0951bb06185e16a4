// The SQL of tools without their own code. The user can read, edit and run it like any other step.
import { kindOf, quoteName } from '../domain/cells.ts'
import { commonCount } from '../domain/disclosure.ts'
import type { FoundColumn } from './queryable-tables.ts'

/** `showsEnds`: includes the first and last text, which may identify a person. */
export function statsSql({ table, column }: FoundColumn, { showsEnds }: { readonly showsEnds: boolean }): string {
  const name = quoteName(column.name)
  const kind = kindOf(column)
  const ends = [`min(${name}) AS "min"`, `max(${name}) AS "max"`]
  const facts = [
    'count(*) AS "rows"',
    `count(*) - count(${name}) AS "nulls"`,
    ...(kind === 'other' ? [] : [`count(DISTINCT ${name}) AS "distinct"`]),
    ...(kind === 'number' || kind === 'date' || kind === 'time' || (kind === 'text' && showsEnds) ? ends : []),
    ...(kind === 'number'
      ? [`avg(${name}) AS "avg"`, `median(${name}) AS "median"`, `stddev_samp(${name}) AS "stddev"`]
      : []),
    ...(kind === 'text' ? [`avg(length(CAST(${name} AS VARCHAR))) AS "avg_length"`] : []),
    ...(kind === 'yes-no' ? [`avg(CAST(${name} AS INTEGER)) AS "share_true"`] : []),
  ]
  return `SELECT\n  ${facts.join(',\n  ')}\nFROM ${quoteName(table.name)}`
}

export function distributionSql(
  { table, column }: FoundColumn,
  { limit, onlyCommon }: { readonly limit: number; readonly onlyCommon: boolean },
): string {
  const from = quoteName(table.name)
  return [
    `SELECT ${quoteName(column.name)} AS "value", count(*) AS "count",`,
    `  round(100.0 * count(*) / (SELECT count(*) FROM ${from}), 2) AS "percent"`,
    `FROM ${from}`,
    'GROUP BY 1',
    ...(onlyCommon ? [`HAVING count(*) >= ${commonCount}`] : []),
    'ORDER BY 2 DESC, 1',
    `LIMIT ${limit}`,
  ].join('\n')
}
