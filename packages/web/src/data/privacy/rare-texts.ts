// Which texts of a summary are those of so few rows that they are somebody's: the most frequent values may be shown at
// level 1, others not.
import { type Column, kindOf, quoteName, quoteText } from '../domain/cells.ts'
import { commonCount } from '../domain/disclosure.ts'
import type { QueryEngine, ReadOptions } from '../domain/query-engine.ts'
import { isLabel, normalText, sqlStrings } from './shown-texts.ts'

export interface TextSource {
  readonly name: string
  readonly rowCount: number
  /** Those that may be sent. */
  readonly columns: readonly Column[]
  /** It says what to call something of a larger table, whose rows are behind each text that two of its own rows have. */
  readonly isLookup?: boolean
}

export interface ShownWith {
  readonly code: string
  /** Names of tables and columns: the model has them anyway. */
  readonly names: readonly string[]
  readonly sources: readonly TextSource[]
  /** Whether this text, which is in no table, may be shown: it is what was grouped by, and enough rows are behind it. */
  readonly allowsDerived: (text: string) => boolean
}

type Given = ShownWith & { readonly read: Omit<ReadOptions, 'maxRows'> }

/** Reads as the model would: what it may not see is not looked at either. */
export async function rareTexts(
  engine: Pick<QueryEngine, 'read'>,
  texts: readonly string[],
  shown: Given,
): Promise<ReadonlySet<string>> {
  const known = new Set([...shown.names, ...sqlStrings(shown.code)].map(normalText))
  const open = texts.filter((text) => !known.has(normalText(text)))
  const exact = await countTexts(engine, open, { ...shown, as: (column) => column, keyOf: (text) => text })
  const odd = open.filter((text) => !isCommon(exact, text))
  // As they stand is quick; taking case and spaces for nothing is not, and few need it.
  const alike = await countTexts(engine, odd, {
    ...shown,
    as: (column) => `lower(trim(${column}))`,
    keyOf: normalText,
  })
  const isShown = (text: string): boolean => {
    const key = normalText(text)
    if (isCommon(alike, key)) return true
    return !alike.has(key) && (isLabel(text) || shown.allowsDerived(text))
  }
  return new Set(odd.filter((text) => !isShown(text)))
}

/** How many rows of a table have it. */
type Counts = ReadonlyMap<string, number>

const isCommon = (counts: Counts, key: string): boolean => (counts.get(key) ?? 0) >= commonCount

interface Counting extends Given {
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
    .map((column) =>
      as(column.type === 'VARCHAR' ? quoteName(column.name) : `CAST(${quoteName(column.name)} AS VARCHAR)`),
    )
    .map((text) => `SELECT ${text} AS t, count(*) AS n FROM ${quoteName(name)} WHERE ${text} IN (${wanted}) GROUP BY 1`)
  return parts.length === 0 ? null : `SELECT t, max(n) FROM (${parts.join(' UNION ALL ')}) GROUP BY t`
}
