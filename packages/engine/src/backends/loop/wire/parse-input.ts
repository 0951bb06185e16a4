import { isRecord, parseJson } from '@quarterdeck/protocol'
import type { CallPart } from '../conversation/entry.ts'
import { isId } from './response-fields.ts'

export interface StreamedCall {
  readonly toolUseId: string
  readonly toolName: string
  /** The arguments, joined from their fragments. */
  readonly json: string
}

/** Levels. No tool needs more, and recursion over an input would fail at thousands. */
const deepest = 100
/** Characters of an invalid input that are reported: the model recognizes it by its start. */
const longestUnreadable = 2000

/**
 * Parses a call. Missing arguments are an empty object; anything that is not an object is kept for the error message.
 */
export function callPart({ toolUseId, toolName, json }: StreamedCall): CallPart {
  // The conversation generates missing ids.
  const call = { type: 'call', toolUseId: isId(toolUseId) ? toolUseId : '', toolName } as const
  if (json.trim() === '') return { ...call, toolInput: {}, unreadable: null }
  const value = parseJson(json)
  if (isRecord(value)) {
    const flaw = flawOf(value)
    if (flaw === null) return { ...call, toolInput: { ...value }, unreadable: null }
    return { ...call, toolInput: {}, unreadable: `(${flaw}) ${json.slice(0, longestUnreadable)}` }
  }
  return { ...call, toolInput: {}, unreadable: json.slice(0, longestUnreadable) }
}

/** Why a value cannot be passed on; `null` if it can. Iterative, so that any depth is handled. */
function flawOf(value: object): string | null {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (level.some((one) => typeof one === 'number' && !Number.isFinite(one))) return 'a number that is too large'
    const inner = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (depth === deepest && inner.length > 0) return `nested more than ${deepest} levels deep`
    level = inner
  }
  return null
}
