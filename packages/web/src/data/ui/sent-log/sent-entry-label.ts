import { parseJson } from '@quarterdeck/protocol'
import type { Analysis, SentEntry } from '../../domain/analysis.ts'

export function sentEntryLabel({ what, step }: SentEntry): string {
  switch (what) {
    case 'question':
      return 'Question and tables'
    case 'result':
      return step === null ? 'Answer to a call' : `Result of step ${step}`
    case 'error':
      return step === null ? 'Error' : `Error of step ${step}`
    case 'other':
      return 'Request without data'
  }
}

/** By time, then by step. */
export const byTimeSent = (ledger: readonly SentEntry[]): readonly SentEntry[] =>
  [...ledger].sort((one, other) =>
    one.at === other.at ? (one.step ?? 0) - (other.step ?? 0) : one.at < other.at ? -1 : 1,
  )

/** Formatted JSON for display; other text is unchanged. */
export function prettyBody(body: string): string {
  if (body === '') return '(no body)'
  const value = parseJson(body)
  return value === undefined ? body : JSON.stringify(value, null, 2)
}

/** For audits: bodies stay the exact text, so that bytes can be counted again. */
export const sentLogFile = ({ id, title, ledger }: Analysis): string =>
  `${JSON.stringify({ analysis: id, title, sent: byTimeSent(ledger) }, null, 2)}\n`
