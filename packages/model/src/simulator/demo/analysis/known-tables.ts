// The tables of an analysis as its instructions list them: one JSON object a line, between two marks.
import { z } from 'zod'

const Table = z.object({
  name: z.string(),
  rowCount: z.number().optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
})
export type KnownTable = z.infer<typeof Table>

/** Those that were told last. */
export function knownTables(...texts: readonly string[]): readonly KnownTable[] {
  for (const text of texts) {
    const lists = [...text.matchAll(/<tables>\n([\s\S]*?)\n<\/tables>/g)]
    const tables = (lists.at(-1)?.[1] ?? '').split('\n').flatMap((line) => Table.safeParse(parse(line)).data ?? [])
    if (tables.length > 0) return tables
  }
  return []
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null // a line of something else
  }
}
