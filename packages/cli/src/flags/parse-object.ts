// A JSON object typed by a person, at a prompt or after a flag.
import { isRecord, type JsonObject, parseJson } from '@quarterdeck/protocol'
import { misuse } from '../terminal/misuse.ts'

/** `null` if the text is not a JSON object. */
export function parseObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isRecord(value) ? value : null
}

export function objectFlag(text: string, flag: string): JsonObject {
  const value = parseObject(text)
  if (value === null) throw misuse(`${flag} must be a JSON object`)
  return value
}
