import { randomUUID } from 'node:crypto'
import { type AnswerPart, callsOf, type Entry } from './entry.ts'

/**
 * What a model said, with an id of its own for every call of the conversation: some servers give none, or the same few
 * again and again, and results, questions and the log find a call by it.
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
