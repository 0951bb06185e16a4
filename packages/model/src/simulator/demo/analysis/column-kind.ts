// What a column is good for, by its type and name.
import { wordsIn } from '../../words.ts'
import type { KnownColumn } from './known-tables.ts'

export type Kind = 'number' | 'text' | 'date' | 'yes-no' | 'other'

export function kindOf({ type }: Pick<KnownColumn, 'type'>): Kind {
  const name = type.toUpperCase()
  if (/\[\]|^(STRUCT|MAP|LIST|UNION|BLOB|INTERVAL)/.test(name)) return 'other'
  if (/INT|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC|NUMBER/.test(name)) return 'number'
  if (/^(TIMESTAMP|DATETIME|DATE)/.test(name)) return 'date'
  if (/^BOOL/.test(name)) return 'yes-no'
  return /CHAR|TEXT|STRING|ENUM|UUID/.test(name) ? 'text' : 'other'
}

const keyWords = new Set(['id', 'uuid', 'guid', 'key', 'code', 'nr', 'no', 'zip', 'postcode', 'plz', 'phone'])

/** An id counts nothing and groups nothing. */
export const isKey = ({ name }: Pick<KnownColumn, 'name'>): boolean => keyWords.has(wordsIn(name).at(-1) ?? '')

/** Numbers that mean a place or a time are no amounts. */
const isPlace = (name: string): boolean => /\b(year|month|day|hour|week|lat|lon|lng|latitude|longitude)\b/.test(name)

export const isMeasure = (column: KnownColumn): boolean =>
  kindOf(column) === 'number' && !isKey(column) && !isPlace(wordsIn(column.name).join(' '))

/** Free text and addresses of people say little as groups. */
export function groupRank(column: KnownColumn): number {
  const name = wordsIn(column.name).join(' ')
  if (/e ?mail|phone|url|address|comment|note|description|text|remark/.test(name)) return 3
  if (/region|country|state|city|type|kind|category|status|carrier|channel|segment|product|team|group/.test(name))
    return 0
  return kindOf(column) === 'yes-no' ? 2 : 1
}

export const isGroup = (column: KnownColumn): boolean =>
  (kindOf(column) === 'text' || kindOf(column) === 'yes-no') && !isKey(column)

/** Adding these up says nothing: they are averaged. */
export const isAveraged = (name: string): boolean =>
  /\b(price|rating|rate|score|temp|temperature|age|percent|pct|share|ratio|discount|outside|speed|grade|height|c|f)\b/.test(
    wordsIn(name).join(' '),
  )

/** The whole of them is what people mean by the highest. */
export const isAdded = (name: string): boolean =>
  /\b(amount|revenue|sales|turnover|total|value|cost|costs|fee|fees|spend|spent|paid|quantity|qty|units|count|kwh|used|income|profit|umsatz|planned|budget)\b/.test(
    wordsIn(name).join(' '),
  )

/** The highest of these is reached everywhere: their average tells more. */
export const isRated = (name: string): boolean =>
  /\b(rating|rate|score|percent|pct|share|ratio|discount|grade)\b/.test(wordsIn(name).join(' '))

export function likelyMeasure(columns: readonly KnownColumn[]): KnownColumn | undefined {
  const measures = columns.filter(isMeasure)
  const rank = ({ name }: KnownColumn): number => {
    const words = wordsIn(name).join(' ')
    if (/\b(amount|revenue|sales|turnover|total|value|cost|fee|spend|paid)\b/.test(words)) return 0
    return isAveraged(name) ? 2 : 1
  }
  return [...measures].sort((one, other) => rank(one) - rank(other))[0]
}

export const likelyGroup = (columns: readonly KnownColumn[]): KnownColumn | undefined =>
  [...columns.filter(isGroup)].sort((one, other) => groupRank(one) - groupRank(other))[0]
