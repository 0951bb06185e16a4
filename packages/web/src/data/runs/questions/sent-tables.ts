// What the server was told last, by what the ledger has of it.
import { AnalyzeBody } from '@quarterdeck/protocol'
import type { SentEntry } from '../../domain/analysis.ts'

interface SentTables {
  readonly level: number | undefined
  /** As JSON. */
  readonly tables: string
}

/** The tables that the model knows of; `null` where none were told. */
export function lastSentTables(sentLog: readonly SentEntry[]): SentTables | null {
  const body = bodies(sentLog).findLast(({ tables }) => tables !== undefined)
  return body === undefined ? null : { level: body.level, tables: JSON.stringify(body.tables) }
}

/** How many other bodies a question was sent with before this one: under one name the server takes one. */
export function otherBodies(sentLog: readonly SentEntry[], body: AnalyzeBody): number {
  const toSame = bodies(sentLog).filter(({ sessionId }) => sessionId === body.sessionId)
  const distinct = [...new Set(toSame.map(bodyKey))]
  const known = distinct.indexOf(bodyKey(body))
  return known < 0 ? distinct.length : known
}

const bodyKey = ({ question, tables = [], tier, thinking, level }: AnalyzeBody): string =>
  JSON.stringify([question, tables, tier, thinking, level])

const bodies = (sentLog: readonly SentEntry[]): readonly AnalyzeBody[] =>
  sentLog.flatMap(({ what, body }) => {
    if (what !== 'question') return []
    const parsed: unknown = JSON.parse(body)
    // As it was said, in its own order.
    return AnalyzeBody.safeParse(parsed).success ? [parsed as AnalyzeBody] : []
  })
