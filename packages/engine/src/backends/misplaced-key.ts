// What a hook says in a place where nobody listens would be lost without a word: a refusal too.
import type { JsonObject } from '@quarterdeck/protocol'

const below = 'hookSpecificOutput'
const ofTheEvent = [
  'permissionDecision',
  'permissionDecisionReason',
  'updatedInput',
  'updatedToolOutput',
  'updatedMCPToolOutput',
  'additionalContext',
]
const ofEveryEvent = ['continue', 'stopReason', 'decision']

/** A sentence about the first key that stands where it is not heard, or is written as other languages write keys. */
export function misplacedKey(said: JsonObject, specific: JsonObject): string | null {
  for (const key of Object.keys(said)) {
    const meant = meantBy(key, [below, ...ofTheEvent, ...ofEveryEvent])
    if (meant === undefined) continue
    if (ofTheEvent.includes(meant)) return `${written(key, meant)} belongs below ${below}`
    if (meant !== key) return `${key} is written ${meant}`
  }
  for (const key of Object.keys(specific)) {
    const meant = meantBy(key, [...ofTheEvent, ...ofEveryEvent])
    // A PermissionRequest is answered by an object of this name.
    if (meant === undefined || (key === 'decision' && typeof specific[key] !== 'string')) continue
    if (ofEveryEvent.includes(meant)) return `${written(key, meant)} belongs beside ${below}, not below it`
    if (meant !== key) return `${key} is written ${meant}`
  }
  return null
}

const written = (key: string, meant: string): string => (key === meant ? key : `${key} is written ${meant} and`)

const meantBy = (key: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(key))

const plain = (key: string): string => key.replaceAll(/[_-]/g, '').toLowerCase()
