// The result of a call from the browser, in any shape: rows as objects or lists, alone or with facts about them.
import { isRecord, parseJson } from '@quarterdeck/protocol'

export type StepResult = Readonly<ReturnType<typeof readStepResult>>

export function readStepResult(text: string, planned: readonly string[] = []) {
  const value = parseJson(text)
  const facts = isRecord(value) ? value : {}
  const listed = Array.isArray(value) ? value : (facts.rows ?? facts.data)
  const rows: readonly unknown[] = Array.isArray(listed) ? listed : []
  const columns = columnsOf(facts.columns, rows[0], planned)
  const cells = rows.map((row) => {
    if (Array.isArray(row)) return row
    return isRecord(row) ? columns.map((name, index) => row[name] ?? Object.values(row)[index] ?? null) : [row]
  })
  return {
    /** `null` if a client does not count steps. */
    stepId: typeof facts.stepId === 'number' ? facts.stepId : null,
    columns,
    rows: cells,
    rowCount: typeof facts.rowCount === 'number' ? facts.rowCount : rows.length,
    note: typeof facts.note === 'string' ? facts.note : null,
  }
}

function columnsOf(reported: unknown, first: unknown, planned: readonly string[]): readonly string[] {
  const names = Array.isArray(reported)
    ? reported.flatMap((one) => (isRecord(one) && typeof one.name === 'string' ? [one.name] : []))
    : []
  if (names.length > 0) return names
  return planned.length > 0 || !isRecord(first) || Array.isArray(first) ? planned : Object.keys(first)
}
