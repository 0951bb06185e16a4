import type { PrivacyLevel } from '@quarterdeck/protocol'
import { disclosureOf } from '../../domain/disclosure.ts'

interface LevelLabels {
  readonly name: string
  /** What is seen, and what never is. "A row of your files" against "summary rows": whose rows is always said. */
  readonly sees: string
  readonly never: string
}

const namesOnly: LevelLabels = {
  name: 'Names only',
  sees: 'column names, types and row counts',
  never: 'Never a value: no summary number, not a row of your files.',
}

const labels: readonly LevelLabels[] = [
  namesOnly,
  {
    name: 'Summaries',
    sees: 'column names, types and summary numbers',
    never: 'Never a row of your files unless you allow it.',
  },
  {
    name: 'Samples',
    sees: rowsSeen(2),
    never: 'Never the rest of your files.',
  },
  {
    name: 'Steps',
    sees: rowsSeen(3),
    never: 'Never a whole file, nor columns marked “never send”.',
  },
]

function rowsSeen(level: PrivacyLevel): string {
  const { sampleRows, maxRows } = disclosureOf(level)
  return `summary numbers, ${sampleRows} sample rows of each table and up to ${maxRows} rows of each step`
}

export const privacyLevels: readonly PrivacyLevel[] = [0, 1, 2, 3]

/** A level nobody knows sends what level 0 sends. */
export const levelLabels = (level: PrivacyLevel): LevelLabels => labels[level] ?? namesOnly
