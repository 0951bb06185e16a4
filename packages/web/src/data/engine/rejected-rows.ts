import { misfitLabel } from '../domain/misfit-label.ts'
import type { ImportedRows, Rejected } from '../domain/query-engine.ts'
import type { Session } from './session.ts'

const shownRows = 1000

/** The rows that the last `read_csv` of this session rejected, with the first problem of each. */
export async function readRejected(
  session: Session,
  bytes: Uint8Array,
): Promise<Pick<ImportedRows, 'rejectedCount' | 'rejected'>> {
  const [total] = await session.rows('SELECT count(DISTINCT line) FROM rejected')
  // A wrong number of values is reported first, because the values are under wrong names.
  const rows = await session.rows(
    `SELECT min(line_byte_position), arg_min(column_name, place), arg_min(error_type::VARCHAR, place),
       arg_min(error_message, place), any_value(csv_line)
     FROM (SELECT *, CASE WHEN ends_with(error_type::VARCHAR, 'COLUMNS') THEN -1 ELSE coalesce(column_idx, 0) END AS place
       FROM rejected)
     GROUP BY line ORDER BY line LIMIT ${shownRows}`,
  )
  const lineAt = createLineCounter(bytes)
  const rejected = rows.map(([position, column, type, message, text]): Rejected => {
    const problem = problemLabel(String(type), String(message))
    const isWidth = /COLUMNS$/.test(String(type))
    return {
      line: lineAt(Number(position) - 1),
      column: column === null || isWidth ? null : String(column),
      problem,
      text: String(text ?? '').replace(/^[\r\n]+|[\r\n]+$/g, ''),
    }
  })
  return { rejectedCount: Number(total?.[0] ?? 0), rejected }
}

/** DuckDB counts rows, but a row may span several lines. Positions must be in order. */
function createLineCounter(bytes: Uint8Array): (position: number) => number {
  const end = bytes.includes(10) ? 10 : 13
  let line = 1
  let next = bytes.indexOf(end)
  return (given) => {
    let position = given
    // If lines end in CRLF, DuckDB starts a row at the LF before it.
    while (bytes[position] === 10 || bytes[position] === 13) position += 1
    while (next >= 0 && next < position) {
      line += 1
      next = bytes.indexOf(end, next + 1)
    }
    return line
  }
}

function problemLabel(type: string, message: string): string {
  const counts = /Columns: (\d+) Found: (\d+)/.exec(message)
  if (counts !== null) return `${counts[2]} columns instead of ${counts[1]}`
  const cast = /Could not convert string "([\s\S]*)" to '?([^']+)'?/.exec(message)
  if (cast !== null) return misfitLabel(cast[1] ?? '', cast[2] ?? '')
  const known: Readonly<Record<string, string>> = {
    'UNQUOTED VALUE': 'unterminated quote',
    'LINE SIZE OVER MAXIMUM': 'longer than 2 MB',
    'INVALID ENCODING': 'not valid UTF-8',
    'INVALID STATE': 'unbalanced quotes',
  }
  return known[type] ?? (message.split('\n')[0] || type.toLowerCase())
}
