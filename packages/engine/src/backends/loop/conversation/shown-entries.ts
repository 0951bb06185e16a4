import { callsOf, type Entry } from './entry.ts'

/** The entries that the model receives: the latest summary instead of the entries it covers, then the rest. */
export function shownEntries(entries: readonly Entry[]): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.type === 'summary')
  const summary = entries[index]
  if (summary?.type !== 'summary') return joinResults(entries)
  const rest = entries.slice(summary.firstKept).filter((entry) => entry.type !== 'summary')
  return [
    { type: 'note', text: `<summary_of_earlier_conversation>\n${summary.text}\n</summary_of_earlier_conversation>` },
    ...joinResults(rest),
  ]
}

/** Results are stored as they arrive. Providers want those of one answer together, in the order of its calls. */
function joinResults(entries: readonly Entry[]): readonly Entry[] {
  const shown: Entry[] = []
  let order: readonly string[] = []
  for (const entry of entries) {
    const last = shown.at(-1)
    if (entry.type === 'answer') order = callsOf(entry.parts).map(({ toolUseId }) => toolUseId)
    if (entry.type !== 'results' || last?.type !== 'results') {
      shown.push(entry)
      continue
    }
    const results = [...last.results, ...entry.results]
    results.sort((one, other) => order.indexOf(one.toolUseId) - order.indexOf(other.toolUseId))
    shown[shown.length - 1] = { type: 'results', results }
  }
  return shown
}
