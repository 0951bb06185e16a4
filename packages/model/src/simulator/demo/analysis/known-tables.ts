// The tables of an analysis as its instructions list them: one JSON object a line, between two marks.
import { parseTableList } from '@quarterdeck/protocol'
import { z } from 'zod'
import { parseJson } from '../../../wire/parse-json.ts'

const Table = z.object({
  name: z.string(),
  rowCount: z.number().optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
})
export type KnownTable = z.infer<typeof Table>

/** Those that were told last. */
export function knownTables(...texts: readonly string[]): readonly KnownTable[] {
  for (const text of texts) {
    const tables = parseTableList(text).flatMap((line) => Table.safeParse(parseJson(line)).data ?? [])
    if (tables.length > 0) return tables
  }
  return []
}
