import type { ImportPlan, SourceFile } from '../import-plan.ts'
import { inWorker } from './in-worker.ts'

export interface PlanOptions {
  /** Names of tables that there are: a new one gets another. */
  readonly taken: readonly string[]
  readonly signal?: AbortSignal
}

/** What a file seems to hold. Rejects with `ImportError`. */
export async function planFile(file: SourceFile, { taken, signal }: PlanOptions): Promise<ImportPlan> {
  const given = { file: file.name, bytes: await bytesOf(file), taken, choices: {} }
  return inWorker({ work: 'plan', given }, signal)
}

/**
 * The same file with the encoding, the delimiter or the header that a person chose. Columns are found again; the names
 * of tables and which of them are wanted stay.
 */
export async function replanFile(
  file: SourceFile,
  plan: ImportPlan,
  { taken, signal }: PlanOptions,
): Promise<ImportPlan> {
  const { encoding, delimiter, hasHeader } = plan
  const choices = {
    ...(encoding && { encoding }),
    ...(delimiter && { delimiter }),
    ...(hasHeader !== null && { hasHeader }),
  }
  const given = { file: file.name, bytes: await bytesOf(file), taken, choices }
  const found = await inWorker({ work: 'plan', given }, signal)
  const tables = found.tables.map((table) => {
    const before = plan.tables.find(({ part }) => part === table.part)
    return before === undefined ? table : { ...table, name: before.name, isChosen: before.isChosen }
  })
  return { ...found, tables }
}

// Over a buffer of its own, not a shared one: files and what is kept give no other.
const bytesOf = async (file: SourceFile): Promise<Uint8Array<ArrayBuffer>> =>
  (await file.bytes()) as Uint8Array<ArrayBuffer>
