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

/** In the order it left; what left in the same moment, by its step. */
export const byTimeSent = (ledger: readonly SentEntry[]): readonly SentEntry[] =>
  [...ledger].sort((one, other) =>
    one.at === other.at ? (one.step ?? 0) - (other.step ?? 0) : one.at < other.at ? -1 : 1,
  )

/** The same JSON, to be read; what is none stays as it is. */
export function prettyBody(body: string): string {
  if (body === '') return '(no body)'
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    // Not JSON: shown as it left.
    return body
  }
}

/** For whoever has to check it: bodies stay the exact text, so that bytes can be counted again. */
export const sentLogFile = ({ id, title, ledger }: Analysis): string =>
  `${JSON.stringify({ analysis: id, title, sent: byTimeSent(ledger) }, null, 2)}\n`
