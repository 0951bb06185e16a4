import { isQuarterdeckError, visibleText } from '@quarterdeck/protocol'
import type { Palette } from '../render/palette.ts'

/** Problems of a file already contain `error` after their position. */
export function errorLine(error: unknown, palette: Palette): string {
  const text = errorText(error)
  return /^[^\n]*:\d+:\d+ error: /.test(text) ? text : `${palette.bad('error')}: ${text}`
}

/** The text of an error: the message of an expected one, the stack of a bug. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return visibleText(String(error))
  return visibleText(isQuarterdeckError(error) ? error.message : (error.stack ?? error.message))
}
