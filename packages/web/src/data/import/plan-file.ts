import type { ImportPlan, ImportSource } from '../domain/import-plan.ts'
import { detectFormat, isGzip } from './source/detect-format.ts'
import { sampleRanges } from './source/sample-bytes.ts'
import type { FileToPlan } from './worker/decode.ts'
import { inWorker } from './worker/in-worker.ts'

export interface PlanOptions {
  /** Names of tables that there are: a new one gets another. */
  readonly taken: readonly string[]
  readonly signal?: AbortSignal
}

/** What a file seems to hold. Rejects with `ImportError`. */
export async function planFile(file: ImportSource, { taken, signal }: PlanOptions): Promise<ImportPlan> {
  const given = { ...(await readSamples(file)), taken, choices: {} }
  return inWorker({ work: 'plan', given }, signal)
}

/**
 * The same file with the encoding, the delimiter or the header that a person chose. Columns are found again; the names
 * of tables and which of them are wanted stay.
 */
export async function replanFile(
  file: ImportSource,
  plan: ImportPlan,
  { taken, signal }: PlanOptions,
): Promise<ImportPlan> {
  const { encoding, delimiter, hasHeader } = plan
  const choices = {
    ...(encoding && { encoding }),
    ...(delimiter && { delimiter }),
    ...(hasHeader !== null && { hasHeader }),
  }
  const given = { ...(await readSamples(file)), taken, choices }
  const found = await inWorker({ work: 'plan', given }, signal)
  const tables = found.tables.map((table) => {
    const before = plan.tables.find(({ part }) => part === table.part)
    return before === undefined ? table : { ...table, name: before.name, isChosen: before.isChosen }
  })
  return { ...found, tables }
}

/** A large CSV is planned by its samples: the rest of it stays where it is. */
async function readSamples(file: ImportSource): Promise<Pick<FileToPlan, 'file' | 'sizeBytes' | 'pieces'>> {
  const known = { file: file.name, sizeBytes: file.size }
  const ranges = sampleRanges(file.size)
  if (file.parts !== undefined && ranges.length > 1) {
    const pieces = await file.parts(ranges)
    const head = pieces[0] ?? new Uint8Array()
    if (!isGzip(head) && detectFormat(head.subarray(0, 4096), file.name) === 'csv') return { ...known, pieces }
  }
  return { ...known, pieces: [(await file.bytes()).slice()] }
}
