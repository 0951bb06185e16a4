import type { ImportPlan, ImportStage } from '../domain/import-plan.ts'
import type { ImportedRows, QueryEngine } from '../domain/query-engine.ts'
import { isRead } from './csv/is-ready-csv.ts'
import { restoreOwnLines } from './csv/restore-own-lines.ts'
import { checkPlan } from './plan/check-plan.ts'
import { isGzip } from './source/detect-format.ts'
import { maxUnpackedBytes } from './source/file-limits.ts'
import { ImportError } from './source/import-error.ts'
import { toUtf8 } from './source/text-encoding.ts'
import { unpackGzip } from './source/unpack-gzip.ts'
import { createStagedTables, type NeverSent, type StagedTable, type StagedTables } from './staged-tables.ts'
import type { DecodedTable } from './worker/decode.ts'
import { inWorker } from './worker/in-worker.ts'

export interface FileToImport {
  readonly bytes: Uint8Array
  readonly plan: ImportPlan
  /** Locked columns of a table, applied before the table gets its name. */
  readonly neverSent?: NeverSent
  readonly signal?: AbortSignal | undefined
  readonly onStage?: ((stage: ImportStage) => void) | undefined
}

/**
 * Imports all selected tables of a file, or none. They get their names after the last one is complete; until then an
 * existing table with such a name stays. Rejects with `ImportError` or `EngineError`.
 */
export async function importFile(engine: QueryEngine, file: FileToImport): Promise<readonly ImportedRows[]> {
  const { plan, signal, onStage } = file
  checkPlan(plan)
  onStage?.('reading')
  const arrivals = createStagedTables(engine, file.neverSent)
  const early = addEarly(arrivals, file)
  try {
    // A copy, because the worker may take ownership while the database reads the same bytes.
    const given = { bytes: file.bytes.slice(), plan }
    const tables = await inWorker({ work: 'decode', given }, signal)
    onStage?.('loading')
    const arrived: StagedTable[] = []
    for (const table of tables) {
      signal?.throwIfAborted()
      const isEarly = early !== null && table.kind === 'csv' && table.bytes === null
      if (!isEarly) early?.stop()
      arrived.push(isEarly ? await early.arriving : await addTable(arrivals, table, file))
    }
    signal?.throwIfAborted()
    return await arrivals.settle(arrived)
  } catch (error) {
    throw signal?.aborted ? new ImportError('cancelled', 'The import was cancelled.') : error
  } finally {
    early?.stop()
    await arrivals.clear()
  }
}

interface Early {
  readonly arriving: Promise<StagedTable>
  stop(): void
}

/**
 * Most CSVs need no preparation, but that is known only after reading them. The database starts with the original file
 * meanwhile, and starts again if it needs preparation.
 */
function addEarly(arrivals: StagedTables, { bytes, plan, signal }: FileToImport): Early | null {
  const { format, encoding, delimiter, hasHeader, tables } = plan
  const [table, ...others] = tables.filter(({ isChosen }) => isChosen)
  if (format !== 'csv' || encoding !== 'utf-8' || isGzip(bytes)) return null
  if (table === undefined || others.length > 0 || signal?.aborted) return null
  if (table.columns.some(isRead)) return null
  const columns = table.columns.map(({ name, type }) => ({ name, type }))
  const csv = { bytes, delimiter: delimiter ?? ',', hasHeader: hasHeader ?? true, columns }
  // A separate controller: stopping the early load must not cancel the import.
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal?.addEventListener('abort', stop, { signal: stopping.signal })
  const arriving = arrivals.add(table.name, (engine, name) => engine.addCsv({ ...csv, name, signal: stopping.signal }))
  arriving.catch(() => undefined) // handled by the caller that awaits it
  return { arriving, stop }
}

const addTable = (arrivals: StagedTables, table: DecodedTable, file: FileToImport): Promise<StagedTable> =>
  arrivals.add(table.kind === 'csv' ? table.csv.name : table.name, async (engine, name) => {
    if (table.kind === 'csv') {
      const { signal } = file
      const bytes = table.bytes ?? file.bytes
      const added = await engine.addCsv({ ...table.csv, name, bytes, ...(signal && { signal }) })
      if (table.bytes === null || added.rejected.length === 0) return added
      return { ...added, rejected: restoreOwnLines(added.rejected, { ...table.csv, bytes: await ownText(file) }) }
    }
    const { ipc, columns, rejectedCount, rejected } = table
    const facts = await (columns === null ? engine.addArrow(name, ipc) : engine.addArrow(name, ipc, columns))
    return { facts, rejectedCount, rejected }
  })

/** The text of the file before preparation. */
async function ownText({ bytes: packed, plan }: FileToImport): Promise<Uint8Array> {
  let bytes = packed
  while (isGzip(bytes)) bytes = await unpackGzip(bytes.slice(), plan.file, maxUnpackedBytes)
  return toUtf8(bytes, plan.encoding ?? 'utf-8')
}
