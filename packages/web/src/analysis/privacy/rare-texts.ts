// Which texts of a summary are those of so few rows that they are somebody's: the most frequent values may be shown at
// level 1, others not.
import { type Column, kindOf, quoteName, quoteText } from '../cells.ts'
import type { Engine, ReadOptions } from '../engine.ts'
import { commonCount } from './disclosure.ts'
import { isLabel, normalText, sqlStrings } from './shown-texts.ts'

export interface TextSource {
  readonly name: string
  readonly rowCount: number
  /** Those that may be sent. */
  readonly columns: readonly Column[]
}

export interface ShownWith {
  readonly code: string
  /** Names of tables and columns: the model has them anyway. */
  readonly names: readonly string[]
  readonly sources: readonly TextSource[]
  /** A text that is in no table may be shown: nothing but what was grouped by can be text. */
  readonly allowsDerived: boolean
}

/** Reads as the model would: what it may not see is not looked at either. */
export async function rareTexts(
  engine: Pick<Engine, 'read'>,
  texts: readonly string[],
  shown: ShownWith & { readonly read: Omit<ReadOptions, 'maxRows'> },
): Promise<ReadonlySet<string>> {
  const known = new Set([...shown.names, ...sqlStrings(shown.code)].map(normalText))
  const open = texts.filter((text) => !known.has(normalText(text)))
  if (open.length === 0) return new Set()
  const largest = Math.max(...shown.sources.map(({ rowCount }) => rowCount))
  const counts = { own: new Map<string, number>(), lookup: new Map<string, number>() }
  for (const source of shown.sources) {
    // A small table beside a large one names what the large one counts: its values stand for many rows of the other.
    const isLookup = source.rowCount * commonCount <= largest
    const sql = countSql(source, open)
    if (sql === null) continue
    const { rows } = await engine.read(sql, { ...shown.read, maxRows: open.length * 2 })
    const counted = isLookup ? counts.lookup : counts.own
    for (const [text, count] of rows) {
      if (typeof text === 'string') counted.set(text, Math.max(Number(count), counted.get(text) ?? 0))
    }
  }
  const isShown = (text: string): boolean => {
    const key = normalText(text)
    if ((counts.own.get(key) ?? 0) >= commonCount || counts.lookup.has(key)) return true
    return !counts.own.has(key) && (isLabel(text) || shown.allowsDerived)
  }
  return new Set(open.filter((text) => !isShown(text)))
}

function countSql({ name, columns }: TextSource, texts: readonly string[]): string | null {
  const wanted = [...new Set(texts.map(normalText))].map(quoteText).join(', ')
  const parts = columns
    .filter((column) => kindOf(column) === 'text')
    .map(({ name: column }) => `lower(trim(CAST(${quoteName(column)} AS VARCHAR)))`)
    .map((text) => `SELECT ${text} AS t, count(*) AS n FROM ${quoteName(name)} WHERE ${text} IN (${wanted}) GROUP BY 1`)
  return parts.length === 0 ? null : `SELECT t, max(n) FROM (${parts.join(' UNION ALL ')}) GROUP BY t`
}
