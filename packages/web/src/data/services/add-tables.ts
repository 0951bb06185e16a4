// Imports a file as tables, and stores them under names that are free at that time.
import type { AddOptions, TableSource } from '../domain/data-services.ts'
import type { ImportPlan, ImportSource } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import type { ImportedRows, QueryEngine } from '../domain/query-engine.ts'
import type { importFile } from '../import/import-file.ts'
import { sourceOfBytes } from '../import/source/source-file.ts'
import type { BrowserStorage } from '../storage/browser-storage.ts'
import { fingerprintOf } from '../storage/fingerprint.ts'
import { type FollowedLocks, followLocks, type ReadTable } from './follow-locks.ts'
import type { HeldLocks } from './held-locks.ts'
import { resolvePlanNames, resolveTableName } from './resolve-table-name.ts'
import type { ShownTables } from './shown-tables.ts'
import type { TableSources } from './table-sources.ts'

/** Dependencies of the table operations. Each part is the only owner of its state. */
export interface TablesParts {
  readonly browserStorage: Promise<BrowserStorage>
  readonly engine: QueryEngine
  readonly importInto: typeof importFile
  readonly tables: ShownTables
  readonly sources: TableSources
  readonly locks: HeldLocks
}

export interface TablesToAdd extends AddOptions {
  readonly file: ImportSource
  readonly plan: ImportPlan
  /** Its rows come from other tables: columns with a name that is locked anywhere start locked. */
  readonly isDerived: boolean
}

const mostRejected = 1000

export async function addTables(parts: TablesParts, added: TablesToAdd): Promise<readonly ImportedTable[]> {
  const { browserStorage, engine, importInto, tables } = parts
  const { file, isKept, replaces, onStage, signal, isDerived } = added
  const bytes = await file.bytes()
  const fingerprint = await fingerprintOf(bytes)
  const there = [...tables.known(), ...(await (await browserStorage).tables.list().catch(() => []))]
  const plan = resolvePlanNames({ plan: added.plan, fingerprint, replaces }, there)
  const sourcesOfRows = isDerived ? tables.known() : []
  const mayHide = sourcesOfRows.some(({ neverSent, joinsByHand }) => neverSent.length > 0 || joinsByHand)
  const followed = new Map<string, FollowedLocks>()
  const neverSent = async (name: string) => {
    const found = followLocks({ name, plan, fingerprint }, await knownTables(parts))
    followed.set(name, found)
    if (isDerived) return [...found.neverSent, ...sourcesOfRows.flatMap((table) => table.neverSent)]
    const reviewed = reviewedLocks(plan, name)
    return [...found.neverSent.filter((column) => !reviewed.unlocked.includes(column)), ...reviewed.locked]
  }
  const imported = await importInto(engine, { bytes, plan, neverSent, signal, onStage })
  onStage?.('saving')
  const source = { file: file.name, format: plan.format, sizeBytes: file.size, fingerprint }
  const stored: ImportedTable[] = []
  for (const rows of imported) {
    const { lockedAway = [], joinsByHand = false } = followed.get(rows.facts.name) ?? {}
    const table = {
      ...tableOf(rows),
      source,
      isKept,
      ...(mayHide || joinsByHand ? { joinsByHand: true } : {}),
      ...(lockedAway.length > 0 ? { lockedAway } : {}),
    }
    stored.push(await store(parts, table, { source: { file: sourceOfBytes(file.name, bytes), plan }, replaces }))
  }
  const others = (shown: readonly ImportedTable[]) =>
    shown.filter(({ name }) => !stored.some((table) => table.name === name))
  tables.show([...others(tables.loaded()), ...stored], others(tables.missing()))
  return stored
}

/** The existing tables with their plans. */
async function knownTables({ browserStorage, tables, sources }: TablesParts): Promise<readonly ReadTable[]> {
  const stored = await (await browserStorage).tables.entries().catch(() => [])
  const planOf = (name: string) =>
    sources.unsavedOf(name)?.plan ?? stored.find(({ table }) => table.name === name)?.plan ?? null
  // Storage has the latest state of other tabs.
  return [...tables.known().map((table) => ({ table, plan: planOf(table.name) })), ...stored]
}

/** Chooses the name at the time of saving, because other tabs add tables as well. */
async function store(
  { browserStorage, engine, sources, locks }: TablesParts,
  table: ImportedTable,
  { source, replaces }: Pick<AddOptions, 'replaces'> & { readonly source: TableSource },
): Promise<ImportedTable> {
  const { tables, isLasting } = await browserStorage
  const { name } = table
  const { file, plan } = source
  const put = async (as: ImportedTable, bytes: Uint8Array | null): Promise<ImportedTable> => {
    const made = await tables.put({ table: as, plan }, bytes, (there) =>
      resolveTableName({ name, plan, replaces, fingerprint: table.source.fingerprint }, there),
    )
    locks.release(made.name)
    return made
  }
  sources.forget(name)
  const loose = { ...table, isKept: false }
  const whole = table.isKept && isLasting ? await put(table, await file.bytes()).catch(() => null) : null
  // Without space the table is usable but marked as not stored. If that fails, its name is lost too.
  const made = whole ?? (await put(loose, null).catch(() => loose))
  if (made.name !== name) await engine.rename(name, made.name)
  if (!made.isKept) sources.hold(made.name, source, name)
  return made
}

function tableOf({ facts, rejectedCount, rejected }: ImportedRows) {
  const addedAt = new Date().toISOString()
  return { ...facts, rejectedCount, rejected: rejected.slice(0, mostRejected), addedAt }
}

/** Columns that the review locked, and columns that it unlocked. */
function reviewedLocks({ tables }: ImportPlan, name: string) {
  const columns = tables.find((table) => table.isChosen && table.name === name)?.columns ?? []
  const named = (isLocked: boolean) => columns.filter((one) => one.isLocked === isLocked).map((one) => one.name)
  return { locked: named(true), unlocked: named(false) }
}
