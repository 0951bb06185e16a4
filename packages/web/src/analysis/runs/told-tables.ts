// What the server was told last, by what the ledger has of it.
import { AnalyzeBody } from '@quarterdeck/protocol'
import type { LedgerEntry } from '../analysis.ts'

interface ToldTables {
  readonly level: number | undefined
  /** As JSON. */
  readonly tables: string
}

/** The tables that the model knows of; `null` where none were told. */
export function lastTold(ledger: readonly LedgerEntry[]): ToldTables | null {
  const body = bodies(ledger).findLast(({ tables }) => tables !== undefined)
  return body === undefined ? null : { level: body.level, tables: JSON.stringify(body.tables) }
}

/** How many other bodies a question was sent with before this one: under one name the server takes one. */
export function otherBodies(ledger: readonly LedgerEntry[], body: AnalyzeBody): number {
  const toSame = bodies(ledger).filter(({ sessionId }) => sessionId === body.sessionId)
  const distinct = [...new Set(toSame.map(saidIn))]
  const known = distinct.indexOf(saidIn(body))
  return known < 0 ? distinct.length : known
}

const saidIn = ({ question, tables = [], tier, thinking, level }: AnalyzeBody): string =>
  JSON.stringify([question, tables, tier, thinking, level])

const bodies = (ledger: readonly LedgerEntry[]): readonly AnalyzeBody[] =>
  ledger.flatMap(({ what, body }) => {
    if (what !== 'question') return []
    const said: unknown = JSON.parse(body)
    // As it was said, in its own order.
    return AnalyzeBody.safeParse(said).success ? [said as AnalyzeBody] : []
  })
