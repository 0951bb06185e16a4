import type { ImportedRows, Rejected } from '../engine.ts'
import type { Session } from './tables.ts'

const shownRows = 1000

/** What the last `read_csv` of this session left out, by line: a line with several faults is told by its first. */
export async function readRejected(session: Session): Promise<Pick<ImportedRows, 'rejectedCount' | 'rejected'>> {
  const [total] = await session.rows('SELECT count(DISTINCT line) FROM rejected')
  const rows = await session.rows(
    `SELECT line, arg_min(column_name, column_idx), arg_min(error_type, column_idx), arg_min(error_message, column_idx),
       any_value(csv_line)
     FROM rejected GROUP BY line ORDER BY line LIMIT ${shownRows}`,
  )
  const rejected = rows.map(([line, column, type, message, text]): Rejected => {
    const problem = inWords(String(type), String(message))
    return {
      line: Number(line),
      column: column === null ? null : String(column),
      problem,
      text: String(text ?? '').replace(/^[\r\n]+|[\r\n]+$/g, ''),
    }
  })
  return { rejectedCount: Number(total?.[0] ?? 0), rejected }
}

function inWords(type: string, message: string): string {
  const counts = /Columns: (\d+) Found: (\d+)/.exec(message)
  if (counts !== null) return `${counts[2]} columns instead of ${counts[1]}`
  const cast = /Could not convert string "([\s\S]*)" to '?([^']+)'?/.exec(message)
  if (cast !== null) return `"${cast[1]}" is no ${cast[2]}`
  const known: Readonly<Record<string, string>> = {
    'UNQUOTED VALUE': 'a quote that is not closed',
    'LINE SIZE OVER MAXIMUM': 'longer than 2 MB',
    'INVALID ENCODING': 'not valid UTF-8',
    'INVALID STATE': 'quotes that do not fit',
  }
  return known[type] ?? (message.split('\n')[0] || type.toLowerCase())
}
