import type { Rejected } from '../../../domain/query-engine.ts'

export interface RejectedAdvice {
  readonly advice: string
  /** Whether another type takes some of them in. */
  readonly isOfTypes: boolean
}

/** What helps with rows that were rejected: types help a value that does not fit, and nothing else. */
export function rejectedAdvice(rejected: readonly Pick<Rejected, 'column' | 'problem'>[]): RejectedAdvice {
  if (rejected.some(({ column }) => column !== null)) {
    return { advice: 'A column read as text takes every value.', isOfTypes: true }
  }
  const isOne = rejected.length === 1
  const isWidth = rejected.every(({ problem }) => /^\d+ columns instead of \d+$/.test(problem))
  const what = isOne ? 'This row has more or fewer values' : 'These rows have more or fewer values'
  const why = isWidth ? `${what} than the others` : 'Other types do not help here'
  const it = isOne ? 'it' : 'them'
  return { advice: `${why}: mend ${it} in the file, or leave ${it} out.`, isOfTypes: false }
}
