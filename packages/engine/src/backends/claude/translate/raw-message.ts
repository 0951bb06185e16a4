import { draft, type EventDraft, type JsonObject } from '@quarterdeck/protocol'
import type { AnyMessage } from './sdk-message.ts'

/** Messages that are not understood are logged, but truncated if they are large. */
const maxCharacters = 16_000

export function rawMessage(message: AnyMessage): EventDraft<'RawBackendMessage'> {
  const kind = message.subtype === undefined ? message.type : `${message.type}/${message.subtype}`
  return draft('RawBackendMessage', { kind, message: shorten(message) })
}

function shorten(message: JsonObject): JsonObject {
  const text = JSON.stringify(message)
  if (text.length <= maxCharacters) return message
  return { truncated: true, characters: text.length, start: text.slice(0, maxCharacters) }
}
