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

/** The question as it was sent. */
export function lastAsked(ledger: readonly LedgerEntry[], question: string): AnalyzeBody | null {
  const body = bodies(ledger).at(-1)
  return body?.question === question ? body : null
}

const bodies = (ledger: readonly LedgerEntry[]): readonly AnalyzeBody[] =>
  ledger.flatMap(({ what, body }) => {
    if (what !== 'question') return []
    const read = AnalyzeBody.safeParse(JSON.parse(body))
    return read.success ? [read.data] : []
  })
