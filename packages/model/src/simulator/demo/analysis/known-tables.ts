// The tables of an analysis as its instructions list them: one JSON object a line, between two marks.
import { parseTableList } from '@quarterdeck/protocol'
import { z } from 'zod'
import { parseJson } from '../../../wire/parse-json.ts'

const Summary = z.object({
  distinct: z.number().optional().catch(undefined),
  nullShare: z.number().optional().catch(undefined),
  min: z.unknown().optional(),
  max: z.unknown().optional(),
  top: z
    .array(z.object({ value: z.unknown(), count: z.number() }))
    .optional()
    .catch(undefined),
})
const Column = z.object({ name: z.string(), type: z.string(), summary: Summary.optional().catch(undefined) })
const Table = z.object({ name: z.string(), rowCount: z.number().optional(), columns: z.array(Column) })
export type KnownTable = z.infer<typeof Table>
export type KnownColumn = z.infer<typeof Column>

/** Those that were told last. */
export function knownTables(...texts: readonly string[]): readonly KnownTable[] {
  for (const text of texts) {
    const tables = parseTableList(text).flatMap((line) => Table.safeParse(parseJson(line)).data ?? [])
    if (tables.length > 0) return tables
  }
  return []
}
