// What of the data may reach the model at each level. Everything here holds in this browser, before anything is sent.
import type { PrivacyLevel } from '@quarterdeck/protocol'

export interface Disclosure {
  /** Of a result, as it is sent. */
  readonly maxRows: number
  /** Of the JSON of a result, rows and all. */
  readonly maxBytes: number
  /** Of a table, told before the first question. */
  readonly sampleRows: number
  readonly hasSummaries: boolean
  /** Single rows need a person's leave. */
  readonly onlySummaries: boolean
  /** Words of errors that could be a cell do not leave. */
  readonly scrubsErrors: boolean
}

const levels: readonly [Disclosure, Disclosure, Disclosure, Disclosure] = [
  { maxRows: 0, maxBytes: 16_000, sampleRows: 0, hasSummaries: false, onlySummaries: true, scrubsErrors: true },
  { maxRows: 100, maxBytes: 16_000, sampleRows: 0, hasSummaries: true, onlySummaries: true, scrubsErrors: true },
  { maxRows: 50, maxBytes: 16_000, sampleRows: 5, hasSummaries: true, onlySummaries: false, scrubsErrors: false },
  { maxRows: 200, maxBytes: 64_000, sampleRows: 5, hasSummaries: true, onlySummaries: false, scrubsErrors: false },
]

/** A level nobody knows sends what level 0 sends. */
export const disclosureOf = (level: PrivacyLevel): Disclosure => levels[level as 0 | 1 | 2 | 3] ?? levels[0]

/** Letters of one cell. */
export const cellLimit = 256

/** A value that fewer rows than this have is somebody's. */
export const commonCount = 5
