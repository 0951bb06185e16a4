import type { Engine, ImportedRows } from '../engine.ts'
import type { ImportPlan, ImportStage } from '../import-plan.ts'
import { checkPlan } from './check-plan.ts'
import type { DecodedTable } from './decode.ts'
import { isGzip } from './detect-format.ts'
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
export async function importFile(engine: Engine, file: FileToImport): Promise<readonly ImportedRows[]> {
  const { bytes, plan, signal, onStage } = file
  checkPlan(plan)
  onStage?.('reading')
  const early = addEarly(engine, file)
  const added: ImportedRows[] = []
  try {
    // Files and what is kept are never over shared memory.
    const given = { bytes: bytes as Uint8Array<ArrayBuffer>, plan }
    const tables = await inWorker({ work: 'decode', given }, signal)
    onStage?.('loading')
    for (const table of tables) {
      signal?.throwIfAborted()
      const isEarly = early !== null && table.kind === 'csv' && table.bytes === null
      added.push(isEarly ? await early : await addTable(engine, table, file))
    }
    return added
  } catch (error) {
    const names = [...added, ...(await settled(early))].map(({ facts }) => facts.name)
    for (const name of new Set(names)) await engine.drop(name)
    throw signal?.aborted ? new ImportError('cancelled', 'Adding the file was cancelled.') : error
  }
}

/**
 * Most CSVs need no preparation, and only reading them whole tells: the database starts with the file as it is while
 * that is found out, and starts again in the other case.
 */
function addEarly(engine: Engine, { bytes, plan, signal }: FileToImport): Promise<ImportedRows> | null {
  const { format, encoding, delimiter, hasHeader, tables } = plan
  const [table, ...others] = tables.filter(({ isChosen }) => isChosen)
  if (format !== 'csv' || encoding !== 'utf-8' || isGzip(bytes)) return null
  if (table === undefined || others.length > 0 || signal?.aborted) return null
  if (table.columns.some(({ reading }) => reading !== undefined)) return null
  const columns = table.columns.map(({ name, type }) => ({ name, type }))
  const csv = { name: table.name, bytes, delimiter: delimiter ?? ',', hasHeader: hasHeader ?? true, columns }
  const adding = engine.addCsv({ ...csv, ...(signal && { signal }) })
  adding.catch(() => undefined) // heard of by whoever waits for it
  return adding
}

const settled = (early: Promise<ImportedRows> | null): Promise<readonly ImportedRows[]> =>
  early === null
    ? Promise.resolve([])
    : early.then(
        (rows) => [rows],
        () => [],
      )

async function addTable(engine: Engine, table: DecodedTable, file: FileToImport): Promise<ImportedRows> {
  if (table.kind === 'csv') {
    const { signal } = file
    return engine.addCsv({ ...table.csv, bytes: table.bytes ?? file.bytes, ...(signal && { signal }) })
  }
  const { name, ipc, columns, rejectedCount, rejected } = table
  const facts = await (columns === null ? engine.addArrow(name, ipc) : engine.addArrow(name, ipc, columns))
  return { facts, rejectedCount, rejected }
}
