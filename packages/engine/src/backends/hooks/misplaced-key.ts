// What a hook says in a place where nobody listens would be lost without a word: a refusal too.
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

/** A sentence about the first key that stands where it is not heard, or is written as other languages write keys. */
export function misplacedKey(answer: JsonObject, specific: JsonObject): string | null {
  for (const key of Object.keys(answer)) {
    const intended = intendedKey(key, [specificKey, ...eventKeys, ...commonKeys])
    if (intended === undefined) continue
    if (eventKeys.includes(intended)) return `${written(key, intended)} belongs below ${specificKey}`
    if (intended !== key) return `${key} is written ${intended}`
  }
  for (const key of Object.keys(specific)) {
    const intended = intendedKey(key, [...eventKeys, ...commonKeys])
    // A PermissionRequest is answered by an object of this name.
    if (intended === undefined || (key === 'decision' && typeof specific[key] !== 'string')) continue
    if (commonKeys.includes(intended)) return `${written(key, intended)} belongs beside ${specificKey}, not below it`
    if (intended !== key) return `${key} is written ${intended}`
  }
  return null
}

const written = (key: string, intended: string): string =>
  key === intended ? key : `${key} is written ${intended} and`

const intendedKey = (key: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(key))

const plain = (key: string): string => key.replaceAll(/[_-]/g, '').toLowerCase()
