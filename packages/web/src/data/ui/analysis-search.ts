// Search parameters of an analysis: positions only. Names of tables and columns may be confidential, and a reload sends
// the address to the server.

const analysisTabs = ['ask', 'profile', 'sql', 'report'] as const
export type AnalysisTab = (typeof analysisTabs)[number]

export interface AnalysisSearch {
  /** Default: `ask`. */
  readonly tab?: AnalysisTab
  readonly step?: number
  /** The cell that proves a number, `row-column`, both from 0. */
  readonly cell?: string
  /** The table of the profile: its position in the list, from 1. */
  readonly table?: number
}

export function analysisSearch(search: Record<string, unknown>): AnalysisSearch {
  const tab = analysisTabs.find((name) => name === search.tab)
  const step = wholeNumber(search.step)
  const table = wholeNumber(search.table)
  const cell = typeof search.cell === 'string' && /^\d{1,9}-\d{1,5}$/.test(search.cell) ? search.cell : null
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(step === null || step < 1 ? {} : { step }),
    ...(cell === null ? {} : { cell }),
    ...(table === null || table < 1 ? {} : { table }),
  }
}

export function sampleSearch(search: Record<string, unknown>): { readonly sample?: number } {
  const sample = wholeNumber(search.sample)
  return sample === null ? {} : { sample }
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : null
}
