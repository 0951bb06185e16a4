import { type CallResult, callsOf, type Entry } from './entry.ts'

const unknownOutcome = 'The call was cut off: whether it had its effect is unknown.'

/**
 * Results for the calls a conversation ends with that never got one: a process died in the middle, or it was branched
 * there. Providers refuse a call without a result.
 */
export function settleCalls(entries: readonly Entry[]): Entry | null {
  const last = entries.findLast((entry) => entry.type === 'answer' || entry.type === 'results')
  if (last?.type !== 'answer') return null
  const results = callsOf(last.parts).map(({ toolUseId }): CallResult => {
    return { toolUseId, output: unknownOutcome, isError: true, images: [] }
  })
  return results.length === 0 ? null : { type: 'results', results }
}
