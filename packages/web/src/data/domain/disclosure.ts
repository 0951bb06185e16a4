// The data that may reach the model at each privacy level. All limits apply in this browser, before sending.
import type { PrivacyLevel } from '@quarterdeck/protocol'

export interface Disclosure {
  /** Rows of a result. */
  readonly maxRows: number
  /** Bytes of the JSON of a result, including rows. */
  readonly maxBytes: number
  /** Rows of a table in its description before the first question. */
  readonly sampleRows: number
  readonly hasSummaries: boolean
  /** Single rows need the user's consent. */
  readonly onlySummaries: boolean
  /** Words of errors that could be a cell are not sent. */
  readonly scrubsErrors: boolean
}

const levels: readonly [Disclosure, Disclosure, Disclosure, Disclosure] = [
  { maxRows: 0, maxBytes: 16_000, sampleRows: 0, hasSummaries: false, onlySummaries: true, scrubsErrors: true },
  { maxRows: 100, maxBytes: 16_000, sampleRows: 0, hasSummaries: true, onlySummaries: true, scrubsErrors: true },
  { maxRows: 50, maxBytes: 16_000, sampleRows: 5, hasSummaries: true, onlySummaries: false, scrubsErrors: false },
  { maxRows: 200, maxBytes: 64_000, sampleRows: 5, hasSummaries: true, onlySummaries: false, scrubsErrors: false },
]

/** Unknown levels are treated as level 0. */
export const disclosureOf = (level: PrivacyLevel): Disclosure => levels[level as 0 | 1 | 2 | 3] ?? levels[0]

/** Characters of one cell. */
export const cellLimit = 256

/** A value in fewer rows than this may identify a person. */
export const commonCount = 5
