// Finds keys of a hook's answer that would be ignored because they are in the wrong place. Such a key may be a refusal.
import type { JsonObject } from '@quarterdeck/protocol'

const specificKey = 'hookSpecificOutput'
const eventKeys = [
  'permissionDecision',
  'permissionDecisionReason',
  'updatedInput',
  'updatedToolOutput',
  'updatedMCPToolOutput',
  'additionalContext',
]
const commonKeys = ['continue', 'stopReason', 'decision']

/** Describes the first key that is in the wrong place or in another naming style. */
export function misplacedKey(answer: JsonObject, specific: JsonObject): string | null {
  for (const key of Object.keys(answer)) {
    const intended = intendedKey(key, [specificKey, ...eventKeys, ...commonKeys])
    if (intended === undefined) continue
    if (eventKeys.includes(intended)) return `${written(key, intended)} belongs inside ${specificKey}`
    if (intended !== key) return `${key} must be spelled ${intended}`
  }
  for (const key of Object.keys(specific)) {
    const intended = intendedKey(key, [...eventKeys, ...commonKeys])
    // A PermissionRequest is answered with an object of this name.
    if (intended === undefined || (key === 'decision' && typeof specific[key] !== 'string')) continue
    if (commonKeys.includes(intended)) return `${written(key, intended)} belongs next to ${specificKey}, not inside it`
    if (intended !== key) return `${key} must be spelled ${intended}`
  }
  return null
}

const written = (key: string, intended: string): string =>
  key === intended ? key : `${key} must be spelled ${intended} and`

const intendedKey = (key: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(key))

const plain = (key: string): string => key.replaceAll(/[_-]/g, '').toLowerCase()
