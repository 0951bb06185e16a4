import { randomUUID } from 'node:crypto'
import { type AnswerPart, callsOf, type Entry } from './entry.ts'

/**
 * Gives every call of a conversation a unique id. Some servers send no ids or repeat the same few, but results,
 * questions and the log find a call by its id.
 */
export function uniqueCallIds(parts: readonly AnswerPart[], entries: readonly Entry[]): readonly AnswerPart[] {
  if (callsOf(parts).length === 0) return parts
  const taken = new Set(entries.flatMap(callIdsOf))
  return parts.map((part) => {
    if (part.type !== 'call') return part
    const toolUseId = part.toolUseId === '' || taken.has(part.toolUseId) ? `call_${randomUUID()}` : part.toolUseId
    taken.add(toolUseId)
    return { ...part, toolUseId }
  })
}

const callIdsOf = (entry: Entry): readonly string[] =>
  entry.type === 'answer' ? callsOf(entry.parts).map(({ toolUseId }) => toolUseId) : []
