// Rows of the passage database.
import { z } from 'zod'

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text) => schema.parse(JSON.parse(text)))

export const ValueRow = z.object({ value: z.string() })
export const FileRow = z.object({ path: z.string(), hash: z.string(), size: z.number(), mtime: z.number() })
export const RankedRow = z.object({ id: z.number(), score: z.number() })
export const DefinitionRow = z.object({ term: z.string(), meaning: z.string() })
export const VectorRow = z.object({
  made_from: z.string(),
  vector: z.union([
    z.instanceof(ArrayBuffer),
    z.instanceof(Uint8Array).transform((bytes) => Uint8Array.from(bytes).buffer),
  ]),
})

export const passageColumns =
  'passages.id, passages.text, passages.headings, passages.line, passages.row, passages.details, passages.refs, files.path'

export const PassageRow = z
  .object({
    id: z.number(),
    text: z.string(),
    headings: json(z.array(z.string())),
    line: z.number().nullable(),
    row: z.string().nullable(),
    details: json(z.record(z.string(), z.string())),
    refs: json(z.array(z.string())),
    path: z.string(),
  })
  .transform(({ refs, ...row }) => ({ ...row, references: refs, definitions: [] }))

export const parseRows = <Schema extends z.ZodType>(schema: Schema, rows: readonly unknown[]): z.infer<Schema>[] =>
  rows.map((row) => schema.parse(row))
