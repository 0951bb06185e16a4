// A JSON object that a person typed, at a prompt or behind a flag.
import { JsonObject, QuarterdeckError } from '@quarterdeck/protocol'

/** `null` when it is none. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    // What was parsed, not the schema's copy: that one would lose a key called `__proto__`.
    return JsonObject.safeParse(value).success ? (value as JsonObject) : null
  } catch {
    return null // said to the person by the caller
  }
}

export function objectFlag(text: string, flag: string): JsonObject {
  const value = parseObject(text)
  if (value === null) throw new QuarterdeckError('request.invalid', `${flag} must be a JSON object`)
  return value
}
