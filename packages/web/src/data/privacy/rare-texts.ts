// Finds texts of a summary that occur in so few rows that they could identify a person. At level 1 only frequent values
// may be shown.
import { kindOf, quoteName, quoteText } from '../domain/cells.ts'
import { commonCount } from '../domain/disclosure.ts'
import type { QueryableTable, QueryEngine, QueryOptions } from '../domain/query-engine.ts'
import { isLabel, normalText, sqlStrings } from './shown-texts.ts'

export interface TextSource extends QueryableTable {
  /** A lookup table for a larger one: each text in two of its rows has enough rows of the larger table behind it. */
  readonly isLookup?: boolean
}

export interface ShownWith {
  readonly code: string
  /** Names of tables and columns, which the model knows. */
  readonly names: readonly string[]
  readonly sources: readonly TextSource[]
  /** Whether this text, which is in no table, may be shown: it is a grouping value with enough rows. */
  readonly allowsDerived: (text: string) => boolean
}

type ShownContext = ShownWith & { readonly read: Omit<QueryOptions, 'maxRows'> }

/** Reads with the rights of the model: hidden data is not read. */
export async function rareTexts(
  engine: Pick<QueryEngine, 'read'>,
  texts: readonly string[],
  shown: ShownContext,
): Promise<ReadonlySet<string>> {
  const known = new Set([...shown.names, ...sqlStrings(shown.code)].map(normalText))
  const open = texts.filter((text) => !known.has(normalText(text)))
  const exact = await countTexts(engine, open, { ...shown, as: (column) => column, keyOf: (text) => text })
  const odd = open.filter((text) => !isCommon(exact, text))
  // Exact comparison is fast. Ignoring case and spaces is slow, and few texts need it.
  const alike = await countTexts(engine, odd, { ...shown, as: (column) => `lower(trim(${column}))`, keyOf: normalText })
  const isShown = (text: string): boolean => {
    const key = normalText(text)
    if (isCommon(alike, key)) return true
    return !alike.has(key) && (isLabel(text) || shown.allowsDerived(text))
  }
  return new Set(odd.filter((text) => !isShown(text)))
}

/** The number of rows of a table with this text. */
type Counts = ReadonlyMap<string, number>

const isCommon = (counts: Counts, key: string): boolean => (counts.get(key) ?? 0) >= commonCount

interface Counting extends ShownContext {
  readonly as: (column: string) => string
  readonly keyOf: (text: string) => string
}

async function countTexts(
  engine: Pick<QueryEngine, 'read'>,
  texts: readonly string[],
  { sources, read, as, keyOf }: Counting,
): Promise<Counts> {
  const counts = new Map<string, number>()
  const keys = [...new Set(texts.map(keyOf))]
  for (const source of keys.length === 0 ? [] : sources) {
    const sql = countSql(source, keys, as)
    if (sql === null) continue
    const { rows } = await engine.read(sql, { ...read, maxRows: keys.length })
    for (const [text, count] of rows) {
      const found = source.isLookup === true && Number(count) > 1 ? commonCount : Number(count)
      if (typeof text === 'string') counts.set(text, Math.max(found, counts.get(text) ?? 0))
    }
  }
  return counts
}

function countSql({ name, columns }: TextSource, keys: readonly string[], as: Counting['as']): string | null {
  const wanted = keys.map(quoteText).join(', ')
  const parts = columns
    .filter((column) => kindOf(column) === 'text')
    .map((column) => {
      const cell = quoteName(column.name)
      const text = as(column.type === 'VARCHAR' ? cell : `CAST(${cell} AS VARCHAR)`)
      return `SELECT ${text} AS t, count(*) AS n FROM ${quoteName(name)} WHERE ${text} IN (${wanted}) GROUP BY 1`
    })
  return parts.length === 0 ? null : `SELECT t, max(n) FROM (${parts.join(' UNION ALL ')}) GROUP BY t`
}
