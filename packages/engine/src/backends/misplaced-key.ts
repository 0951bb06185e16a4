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
const ofEveryEvent = ['continue', 'stopReason']

/** A sentence about the first key that stands where it is not heard, or is written as other languages write keys. */
export function misplacedKey(said: JsonObject, specific: JsonObject): string | null {
  for (const key of Object.keys(said)) {
    if (ofTheEvent.includes(key)) return `${key} belongs below ${below}`
    const meant = [below, ...ofTheEvent].find((one) => one !== key && plain(one) === plain(key))
    if (meant !== undefined) return `${key} is written ${meant}`
  }
  for (const key of Object.keys(specific)) {
    // A PermissionRequest is answered by an object of this name.
    const isOutside = ofEveryEvent.includes(key) || (key === 'decision' && typeof specific[key] === 'string')
    if (isOutside) return `${key} belongs beside ${below}, not below it`
    const meant = ofTheEvent.find((one) => one !== key && plain(one) === plain(key))
    if (meant !== undefined) return `${key} is written ${meant}`
  }
  return null
}

const plain = (key: string): string => key.replaceAll(/[_-]/g, '').toLowerCase()
