import type { Entry } from './entry.ts'

/** What the model is shown of a conversation: the latest summary in place of what it sums up, then the rest. */
export function shownEntries(entries: readonly Entry[]): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.type === 'summary')
  const summary = entries[index]
  if (summary?.type !== 'summary') return entries
  const rest = entries.slice(summary.firstKept).filter((entry) => entry.type !== 'summary')
  return [
    { type: 'note', text: `<summary_of_earlier_conversation>\n${summary.text}\n</summary_of_earlier_conversation>` },
    ...rest,
  ]
}
