// What the address of an analysis holds besides which one it is.

const analysisTabs = ['ask', 'profile', 'sql', 'report'] as const
export type AnalysisTab = (typeof analysisTabs)[number]

export interface AnalysisSearch {
  /** Nothing said is `ask`. */
  readonly tab?: AnalysisTab
  readonly step?: number
  /** The cell that proves a number, `row.column`. */
  readonly cell?: string
  /** Of the profile. */
  readonly table?: string
}

export function analysisSearch(search: Record<string, unknown>): AnalysisSearch {
  const tab = analysisTabs.find((name) => name === search.tab)
  const step = wholeNumber(search.step)
  const [cell, table] = [wordOf(search.cell), wordOf(search.table)]
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(step === null || step < 1 ? {} : { step }),
    ...(cell === '' ? {} : { cell }),
    ...(table === '' ? {} : { table }),
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

/** The address makes a number of digits: they are a name all the same. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 500) : ''
