import type { ImportPlan, ImportSource } from '../domain/import-plan.ts'
import { detectFormat, isGzip } from './source/detect-format.ts'
import { sampleRanges } from './source/sample-bytes.ts'
import type { FileToPlan } from './worker/decode.ts'
import { inWorker } from './worker/in-worker.ts'

export interface PlanOptions {
  /** Names of existing tables: new tables get other names. */
  readonly taken: readonly string[]
  readonly signal?: AbortSignal | undefined
}

/** Detects the content of a file. Rejects with `ImportError`. */
export async function planFile(file: ImportSource, { taken, signal }: PlanOptions): Promise<ImportPlan> {
  const given = { ...(await readSamples(file)), taken, choices: {} }
  return inWorker({ work: 'plan', given }, signal)
}

/**
 * Plans the file again with the encoding, delimiter or header that the user chose. Detects columns again; names and
 * selection of tables stay.
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

/** A large CSV is planned from samples, without reading all of it. */
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
