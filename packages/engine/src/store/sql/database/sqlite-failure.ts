// Translates SQLite errors about the disk into messages for operators.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { diskReasons, storeUnavailable, storeUnreadable } from '../../ports/store-errors.ts'

/**
 * The primary codes of https://www.sqlite.org/rescode.html; an extended code such as SQLITE_IOERR_WRITE has it in its
 * low byte.
 */
const reasons: ReadonlyMap<number | undefined, string> = new Map([
  [8, diskReasons.readOnly],
  [10, diskReasons.broken],
  [13, diskReasons.full],
])
const corrupt = 11
const cannotOpen = 14
const notADatabase = 26

/** The engine's error, or the original error if it is about something else. */
export function sqliteFailure(file: string, error: unknown): unknown {
  const code = primaryCodeOf(error)
  if (code === corrupt) {
    const detail = `${file} is damaged. Stop the server and restore the file from a backup, or choose another folder with --data`
    return storeUnreadable(detail, error)
  }
  if (code === notADatabase) {
    const detail = `${file} is not a database: it is another kind of file, or it was overwritten. Move it away or restore it, or choose another folder with --data`
    return storeUnreadable(detail, error)
  }
  const reason = code === cannotOpen ? openingReason(file) : reasons.get(code)
  return reason === undefined ? error : storeUnavailable(dirname(file), reason, error)
}

const openingReason = (file: string): string => (existsSync(file) ? diskReasons.unopened : diskReasons.closed)

function primaryCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('rawCode' in error && typeof error.rawCode === 'number') return error.rawCode & 0xff
  // A file that cannot be opened has no code in the error; the code is at the end of the message.
  const atOpen = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1]
  return atOpen === undefined ? undefined : Number(atOpen) & 0xff
}
