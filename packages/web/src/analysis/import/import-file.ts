import type { Engine, ImportedRows } from '../engine.ts'
import type { ImportPlan, ImportStage } from '../import-plan.ts'
import type { DecodedTable } from './decode.ts'
import { ImportError } from './import-error.ts'
import { inWorker } from './in-worker.ts'

export interface FileToImport {
  readonly bytes: Uint8Array
  readonly plan: ImportPlan
  readonly signal?: AbortSignal
  readonly onStage?: (stage: ImportStage) => void
}

/**
 * All chosen tables of a file, or none: what was added before one failed is dropped again. Rejects with `ImportError`
 * or `EngineError`.
 */
export async function importFile(
  engine: Engine,
  { bytes, plan, signal, onStage }: FileToImport,
): Promise<readonly ImportedRows[]> {
  onStage?.('reading')
  // Files and what is kept are never over shared memory.
  const tables = await inWorker({ work: 'decode', given: { bytes: bytes as Uint8Array<ArrayBuffer>, plan } }, signal)
  onStage?.('loading')
  const added: ImportedRows[] = []
  try {
    for (const table of tables) {
      signal?.throwIfAborted()
      added.push(await addTable(engine, table, signal))
    }
    return added
  } catch (error) {
    for (const { facts } of added) await engine.drop(facts.name)
    throw signal?.aborted ? new ImportError('cancelled', 'Adding the file was cancelled.') : error
  }
}

async function addTable(engine: Engine, table: DecodedTable, signal?: AbortSignal): Promise<ImportedRows> {
  if (table.kind === 'csv') return engine.addCsv({ ...table.csv, ...(signal && { signal }) })
  const { name, ipc, columns, rejectedCount, rejected } = table
  const facts = await (columns === null ? engine.addArrow(name, ipc) : engine.addArrow(name, ipc, columns))
  return { facts, rejectedCount, rejected }
}
