// The queries that the user ran, newest first; stored only in this browser.
import { isRecord, parseJson } from '@quarterdeck/protocol'
import { readText, saveText } from '../../storage/browser-text.ts'

export interface RanQuery {
  readonly sql: string
  readonly at: string
}

const key = 'quarterdeck.sql-history'
const most = 50

export function readHistory(): readonly RanQuery[] {
  const stored = parseJson(readText(key) ?? '')
  return Array.isArray(stored) ? stored.filter(isRanQuery) : []
}

/** The same query again moves to the front. */
export function saveQuery(sql: string, at: string): readonly RanQuery[] {
  const next = [{ sql, at }, ...readHistory().filter((other) => other.sql !== sql)].slice(0, most)
  saveText(key, JSON.stringify(next))
  return next
}

const isRanQuery = (value: unknown): value is RanQuery =>
  isRecord(value) && typeof value.sql === 'string' && typeof value.at === 'string'
