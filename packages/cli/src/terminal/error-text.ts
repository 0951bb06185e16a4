import { isQuarterdeckError, visibleText } from '@quarterdeck/protocol'
import type { Palette } from '../render/palette.ts'

/** Problems of a file say `error` themselves, behind their place. */
export function errorLine(error: unknown, palette: Palette): string {
  const text = errorText(error)
  return /^[^\n]*:\d+:\d+ error: /.test(text) ? text : `${palette.bad('error')}: ${text}`
}

/** What a person reads of an error: a sentence for an expected one, where it happened for a bug. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return visibleText(String(error))
  return visibleText(isQuarterdeckError(error) ? error.message : (error.stack ?? error.message))
}
