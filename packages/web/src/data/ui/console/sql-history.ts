// The queries a person ran, newest first; kept in this browser alone.
import { readText, saveText } from '../../storage/browser-text.ts'

export interface RanQuery {
  readonly sql: string
  readonly at: string
}

const key = 'quarterdeck.sql-history'
const most = 50

export function readHistory(): readonly RanQuery[] {
  try {
    const kept: unknown = JSON.parse(readText(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRanQuery) : []
  } catch {
    // Somebody else's text under this name: begin anew.
    return []
  }
}

/** The same query again moves to the front. */
export function saveQuery(sql: string, at: string): readonly RanQuery[] {
  const next = [{ sql, at }, ...readHistory().filter((other) => other.sql !== sql)].slice(0, most)
  saveText(key, JSON.stringify(next))
  return next
}

const isRanQuery = (value: unknown): value is RanQuery =>
  typeof value === 'object' &&
  value !== null &&
  'sql' in value &&
  typeof value.sql === 'string' &&
  'at' in value &&
  typeof value.at === 'string'
