import type { PrivacyLevel } from '@quarterdeck/protocol'

interface LevelWords {
  readonly name: string
  /** What is seen, and what never is. "A row of your files" against "summary rows": whose rows is always said. */
  readonly sees: string
  readonly never: string
}

const words: readonly LevelWords[] = [
  {
    name: 'Names only',
    sees: 'column names, types and row counts',
    never: 'Never a value: no summary number, not a row of your files.',
  },
  {
    name: 'Summaries',
    sees: 'column names, types and summary numbers',
    never: 'Never a row of your files unless you allow it.',
  },
  {
    name: 'Samples',
    sees: 'summary numbers, 5 sample rows of each table and up to 50 rows of each step',
    never: 'Never the rest of your files.',
  },
  {
    name: 'Steps',
    sees: 'summary numbers, 5 sample rows of each table and up to 200 rows of each step',
    never: 'Never a whole file, nor columns marked “never send”.',
  },
]

export const privacyLevels: readonly PrivacyLevel[] = [0, 1, 2, 3]

export const levelWords = (level: PrivacyLevel): LevelWords => words[level] ?? (words[1] as LevelWords)
