import { type CallResult, callsOf, type Entry } from './entry.ts'

const unknownOutcome = 'The call was cut off: whether it had its effect is unknown.'

/**
 * Results for unanswered calls at the end of a conversation, after a crash or at a branch point. Providers refuse a
 * call without a result.
 */
export function missingResults(entries: readonly Entry[]): Entry | null {
  const index = entries.findLastIndex((entry) => entry.type === 'answer')
  const answer = entries[index]
  if (answer?.type !== 'answer') return null
  const answered = new Set(
    entries
      .slice(index + 1)
      .flatMap(resultsOf)
      .map(({ toolUseId }) => toolUseId),
  )
  const open = callsOf(answer.parts).filter(({ toolUseId }) => !answered.has(toolUseId))
  const results = open.map(({ toolUseId }) => missingResult(toolUseId))
  return results.length === 0 ? null : { type: 'results', results }
}

export const missingResult = (toolUseId: string): CallResult => ({
  toolUseId,
  output: unknownOutcome,
  isError: true,
  images: [],
})

const resultsOf = (entry: Entry): readonly CallResult[] => (entry.type === 'results' ? entry.results : [])
