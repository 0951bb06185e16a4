// Two calls are the same if their inputs have the same values, regardless of the order of the keys.
import { canonicalToolName } from '../tools/available-tools.ts'
import type { CheckedCall } from './checked-call.ts'

/** JSON with sorted keys, without values that JSON cannot represent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  // A null prototype keeps a key called `__proto__` an ordinary key.
  const copy: Record<string, unknown> = Object.create(null)
  for (const [key, inner] of entries) copy[key] = sorted(inner)
  return copy
}

export const isSameCall = (left: CheckedCall, right: CheckedCall): boolean =>
  canonicalToolName(left.toolName) === canonicalToolName(right.toolName) &&
  canonicalJson(left.toolInput) === canonicalJson(right.toolInput)
