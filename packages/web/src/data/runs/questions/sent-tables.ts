// What the server received of an analysis, from the log of sent data.
import { AnalyzeBody } from '@quarterdeck/protocol'
import type { SentEntry } from '../../domain/analysis.ts'

/** The tables that the model knows, as JSON; `null` if none were sent. */
export function lastSentTables(sentLog: readonly SentEntry[]) {
  const body = bodies(sentLog).findLast(({ tables }) => tables !== undefined)
  return body === undefined ? null : { level: body.level, tables: JSON.stringify(body.tables) }
}

/** The number of other bodies that this question was sent with before: the server accepts one body per id. */
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
    // The original object, to keep its key order.
    return AnalyzeBody.safeParse(parsed).success ? [parsed as AnalyzeBody] : []
  })
