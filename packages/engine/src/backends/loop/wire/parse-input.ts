import type { CallPart } from '../conversation/entry.ts'
import { isId } from './response-fields.ts'

export interface StreamedCall {
  readonly toolUseId: string
  readonly toolName: string
  /** The arguments as they came, piece by piece. */
  readonly json: string
}

/** Levels: no tool wants more, and whoever walks an input step into step would fall at thousands. */
const deepest = 100
/** Letters of an input that cannot be read: the model wrote it and knows it by its beginning. */
const longestUnreadable = 2000

/** A call as the model wrote it. No arguments at all are an empty object; what is no object is kept to be told of. */
export function callPart({ toolUseId, toolName, json }: StreamedCall): CallPart {
  // The conversation gives those without one their own.
  const call = { type: 'call', toolUseId: isId(toolUseId) ? toolUseId : '', toolName } as const
  if (json.trim() === '') return { ...call, toolInput: {}, unreadable: null }
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const flaw = flawOf(value)
      if (flaw === null) return { ...call, toolInput: { ...value }, unreadable: null }
      return { ...call, toolInput: {}, unreadable: `(${flaw}) ${json.slice(0, longestUnreadable)}` }
    }
  } catch {
    // Told to the model as the result of its call.
  }
  return { ...call, toolInput: {}, unreadable: json.slice(0, longestUnreadable) }
}

/** Why a value cannot be passed on as it is; `null` where it can. Level by level, so that no depth is too much for it. */
function flawOf(value: object): string | null {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (level.some((one) => typeof one === 'number' && !Number.isFinite(one))) return 'a number without end'
    const inner = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (depth === deepest && inner.length > 0) return `nested more than ${deepest} levels deep`
    level = inner
  }
  return null
}
