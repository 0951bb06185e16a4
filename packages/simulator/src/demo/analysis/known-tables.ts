// The tables of an analysis, as its instructions list them: one JSON object per line, between two marks.
import { parseJson, parseTableList } from '@quarterdeck/protocol'
import { z } from 'zod'

const Column = z.object({ name: z.string(), type: z.string() })
const Table = z.object({ name: z.string(), rowCount: z.number().optional(), columns: z.array(Column) })
export type KnownTable = z.infer<typeof Table>
export type KnownColumn = z.infer<typeof Column>

/** The tables of the first text that lists any. */
export function knownTables(...texts: readonly string[]): readonly KnownTable[] {
  for (const text of texts) {
    const tables = parseTableList(text).flatMap((line) => Table.safeParse(parseJson(line)).data ?? [])
    if (tables.length > 0) return tables
  }
  return []
}
