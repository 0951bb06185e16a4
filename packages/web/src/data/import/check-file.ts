import type { ImportCheck, ImportPlan, ImportSource } from '../domain/import-plan.ts'
import type { PreferredReading } from './columns/complete-reading.ts'
import { sampleRanges } from './source/sample-bytes.ts'
import { inWorker } from './worker/in-worker.ts'

/** A larger CSV is checked by samples, so that the review stays fast. */
const maxWholeBytes = 64_000_000

/** Counts the values of a file that do not fit the types of its plan. Rejects with `ImportError`. */
export async function checkFile(file: ImportSource, plan: ImportPlan, signal?: AbortSignal): Promise<ImportCheck> {
  const isSampled =
    plan.format === 'csv' && file.size > maxWholeBytes && file.parts !== undefined && !/\.gz$/i.test(file.name)
  const parts = isSampled ? await file.parts?.(sampleRanges(file.size)) : undefined
  const pieces = parts ?? [(await file.bytes()).slice()]
  return inWorker({ work: 'check', given: { pieces, plan, preferred: preferredReading() } }, signal)
}

/** The date order and decimal mark of this browser's language. */
function preferredReading(): PreferredReading {
  const decimal = new Intl.NumberFormat().formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
  const date = new Intl.DateTimeFormat()
    .formatToParts(new Date(0))
    .find(({ type }) => type === 'day' || type === 'month')
  return { dates: date?.type === 'month' ? 'month-first' : 'day-first', decimals: decimal === ',' ? 'comma' : 'point' }
}
