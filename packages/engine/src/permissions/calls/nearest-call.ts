// Finds the call that an altered one came from: the one that shares the most values with it.
import type { JsonObject } from '@quarterdeck/protocol'
import type { CheckedCall } from './checked-call.ts'
import { canonicalJson } from './normalise-input.ts'

type Call = Pick<CheckedCall, 'toolInput'>

/** `null` for an empty list; the earliest of equally near calls. */
export function nearestCall<One extends Call>(calls: readonly One[], call: Call): One | null {
  const wanted = partsOf(call.toolInput)
  let nearest: One | null = null
  let best = -1
  for (const one of calls) {
    const score = likeness(partsOf(one.toolInput), wanted)
    if (score > best) [nearest, best] = [one, score]
  }
  return nearest
}

/** By words rather than whole values: an altered command is still mostly the same command. */
function partsOf(input: JsonObject): ReadonlySet<string> {
  const fields = Object.entries(input).map(([name, value]) =>
    typeof value === 'string'
      ? value.split(/\s+/).map((word) => `${name} ${word}`)
      : [`${name} ${canonicalJson(value)}`],
  )
  return new Set(fields.flat())
}

/** Shared items divided by all items, between 0 and 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((part) => other.has(part)).length
  const all = one.size + other.size - shared
  return all === 0 ? 1 : shared / all
}
