import { parseJson } from '../../../wire/parse-json.ts'

/** The rows of a result as a browser returns it: a list of objects or of lists, alone or under a name. */
export function readRows(text: string): readonly (readonly unknown[])[] {
  const value = parseJson(text)
  const rows = Array.isArray(value) ? value : isRecord(value) ? (value.rows ?? value.data) : null
  if (!Array.isArray(rows)) return []
  return rows.map((row: unknown) => (Array.isArray(row) ? row : isRecord(row) ? Object.values(row) : [row]))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
