// The tables of this browser, in the engine of this tab and in storage.
import { createStore, type Store } from '../../stores/primitives/store.ts'
import { type AddOptions, LockNotStored, type TableSource, type TablesState } from '../domain/data-services.ts'
import type { ImportPlan, ImportSource } from '../domain/import-plan.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { EngineError, type ImportedRows, type QueryEngine } from '../domain/query-engine.ts'
import { importFile } from '../import/import-file.ts'
import { sourceOfBytes } from '../import/source/source-file.ts'
import { type BrowserStorage, toStorageError } from '../storage/browser-storage.ts'
import { fingerprintOf } from '../storage/fingerprint.ts'
import type { TableFill } from './create-engine-service.ts'
import { fillTables } from './fill-tables.ts'
import { type FollowedLocks, followLocks, type ReadTable } from './follow-locks.ts'
import { createHeldLocks, sameRows } from './held-locks.ts'
import { renamedPlan, resolvePlanNames, resolveTableName } from './resolve-table-name.ts'

interface NewTable extends AddOptions {
  readonly isMade?: boolean
}

export interface TablesServiceOptions {
  readonly browserStorage: Promise<BrowserStorage>
  readonly engine: QueryEngine
  /** Imports a file as tables. */
  readonly readIn?: typeof importFile
}

const mostRejected = 1000

export function createTablesService({ browserStorage, engine, readIn = importFile }: TablesServiceOptions) {
  const state = createStore<TablesState>({ isLasting: null, tables: null, listed: null, missing: [], storage: null })
  /** Files that are lost when the page closes. */
  const unsaved = new Map<string, TableSource>()
  const locks = createHeldLocks()
  let isFilled = false
  /** Whether another tab changed something after the current load started. */
  let isBehind = false
  /** The current load: an older one may belong to a dead engine. */
  let fillings = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Serializes changes: changes of other tabs come in between, never in the middle. */
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(work)
    last = next.catch(() => undefined) // the caller gets the error
    return next
  }

  const loadedTables = () => state.getSnapshot().tables ?? []

  function show(tables: readonly ImportedTable[], missing: readonly ImportedTable[]): void {
    state.update({ tables: sorted(tables), listed: sorted(tables), missing: sorted(missing) })
    void measure()
  }

  /** Names and sizes are known before the engine has the rows. */
  async function list(): Promise<void> {
    const listed = await (await browserStorage).tables.list().catch(() => [])
    if (isFilled) return
    state.update({
      listed: sorted(listed.filter(({ isKept }) => isKept)),
      missing: sorted(listed.filter(({ isKept }) => !isKept)),
    })
    await measure()
  }

  /** A change needs the table in the engine first. */
  async function whenFilled(): Promise<void> {
    if (!isFilled) await engine.tables()
  }

  async function measure(): Promise<void> {
    const storage = await (await browserStorage).storage().catch(() => null)
    state.update({ storage })
  }

  /** The stored table, or `null` if its file is missing or cannot be imported any more. */
  async function bring(
    into: QueryEngine,
    table: ImportedTable,
    source: TableSource | null,
  ): Promise<ImportedTable | null> {
    if (source === null) return null
    try {
      const plan = onlyTable(source.plan, table.name)
      await readIn(into, { bytes: await source.file.bytes(), plan, neverSent: () => table.neverSent })
      return table
    } catch (error) {
      const isDead = error instanceof EngineError && error.problem === 'dead'
      if (!isDead) await into.drop(table.name).catch(() => undefined) // it may not exist
      return null
    }
  }

  async function sourceOf(name: string): Promise<TableSource | null> {
    const held = unsaved.get(name)
    if (held !== undefined) return held
    const found = await (await browserStorage).tables.source(name).catch(() => null)
    return found === null ? null : { plan: found.plan, file: sourceOfBytes(found.plan.file, found.bytes) }
  }

  /** Loads the tables into an empty engine. */
  function fill(into: QueryEngine): TableFill {
    fillings += 1
    const mine = fillings
    const found: ImportedTable[] = []
    const missing: ImportedTable[] = []
    const filling = fillTables({
      tables: toFill(),
      isOver: () => mine !== fillings,
      async bring(table) {
        const back = await bring(into, table, await sourceOf(table.name))
        if (back === null) missing.push({ ...table, isKept: false })
        else found.push(back)
      },
    })
    const whole = filling.whole.then(() => {
      if (mine !== fillings) return
      isFilled = true
      show(found, missing)
      if (isBehind) followSoon()
    })
    return { ...filling, whole }
  }

  async function toFill(): Promise<readonly ImportedTable[]> {
    const listed = locks.applyTo(await (await browserStorage).tables.list().catch(() => []))
    const only = loadedTables().filter(
      (table) => unsaved.has(table.name) && !listed.some(({ name }) => name === table.name),
    )
    return [...listed, ...only]
  }

  /** Another tab added, changed or removed something. */
  async function follow(): Promise<void> {
    isBehind = !isFilled
    if (isBehind) return list()
    const listed = locks.applyTo(await (await browserStorage).tables.list())
    const before = loadedTables()
    const found: ImportedTable[] = []
    const missing: ImportedTable[] = []
    for (const gone of before.filter(({ name }) => !listed.some((table) => table.name === name))) {
      await engine.drop(gone.name)
      unsaved.delete(gone.name)
    }
    for (const table of listed) {
      const known = before.find(({ name }) => name === table.name)
      const isSame = known !== undefined && sameRows(known, table)
      if (isSame && !sameList(known.neverSent, table.neverSent)) await engine.setNeverSent(table.name, table.neverSent)
      if (!isSame && known !== undefined) {
        unsaved.delete(table.name)
        await engine.drop(table.name)
      }
      const now = isSame ? table : await bring(engine, table, await sourceOf(table.name))
      if (now === null) missing.push({ ...table, isKept: false })
      else found.push(now)
    }
    show(found, missing)
  }

  const followSoon = (): void => void alone(follow).catch(() => undefined) // the next change retries

  /** Chooses the name at the time of saving, because other tabs add tables as well. */
  async function store(
    table: ImportedTable,
    { file, plan }: TableSource,
    replaces: readonly string[],
  ): Promise<ImportedTable> {
    const { tables, isLasting } = await browserStorage
    const { name, source } = table
    const put = async (as: ImportedTable, bytes: Uint8Array | null): Promise<ImportedTable> => {
      const made = await tables.put({ table: as, plan }, bytes, (there) =>
        resolveTableName({ name, plan, replaces, fingerprint: source.fingerprint }, there),
      )
      locks.release(made.name)
      return made
    }
    unsaved.delete(name)
    const loose = { ...table, isKept: false }
    const whole = table.isKept && isLasting ? await put(table, await file.bytes()).catch(() => null) : null
    // Without space the table is usable but marked as not stored. If that fails, its name is lost too.
    const made = whole ?? (await put(loose, null).catch(() => loose))
    if (made.name !== name) await engine.rename(name, made.name)
    if (!made.isKept) unsaved.set(made.name, { file, plan: renamedPlan(plan, name, made.name) })
    return made
  }

  const known = () => [...loadedTables(), ...state.getSnapshot().missing]

  /** The existing tables with their plans. */
  async function asRead(): Promise<readonly ReadTable[]> {
    const sources = await (await browserStorage).tables.sources().catch(() => [])
    const planOf = (name: string) =>
      unsaved.get(name)?.plan ?? sources.find(({ tables }) => tables.some((table) => table.name === name))?.plan ?? null
    return [
      ...known().map((table) => ({ table, plan: planOf(table.name) })),
      // The latest state of other tabs.
      ...sources.flatMap(({ tables, plan }) => tables.map((table) => ({ table, plan }))),
    ]
  }

  async function add(file: ImportSource, planned: ImportPlan, options: NewTable): Promise<readonly ImportedTable[]> {
    const { isKept, replaces, onStage, signal, isMade = false } = options
    const bytes = await file.bytes()
    const fingerprint = await fingerprintOf(bytes)
    const there = [...known(), ...(await (await browserStorage).tables.list().catch(() => []))]
    const plan = resolvePlanNames({ plan: planned, fingerprint, replaces }, there)
    if (isMade) await whenFilled()
    const locked = isMade ? known().flatMap(({ neverSent }) => neverSent) : []
    const mayHide = isMade && known().some(({ neverSent, joinsByHand }) => neverSent.length > 0 || joinsByHand)
    const followed = new Map<string, FollowedLocks>()
    const neverSent = async (name: string) => {
      const found = followLocks({ name, plan, fingerprint }, await asRead())
      followed.set(name, found)
      if (isMade) return [...found.neverSent, ...locked]
      const reviewed = reviewedLocks(plan, name)
      return [...found.neverSent.filter((column) => !reviewed.unlocked.includes(column)), ...reviewed.locked]
    }
    const imported = await readIn(engine, {
      bytes,
      plan,
      neverSent,
      ...(signal === undefined ? {} : { signal }),
      ...(onStage === undefined ? {} : { onStage }),
    })
    onStage?.('saving')
    const source = { file: file.name, format: plan.format, sizeBytes: file.size, fingerprint }
    const added: ImportedTable[] = []
    for (const rows of imported) {
      const { lockedAway = [], joinsByHand = false } = followed.get(rows.facts.name) ?? {}
      const table = {
        ...tableOf(rows),
        source,
        isKept,
        ...(mayHide || joinsByHand ? { joinsByHand: true } : {}),
        ...(lockedAway.length > 0 ? { lockedAway } : {}),
      }
      added.push(await store(table, { file: sourceOfBytes(file.name, bytes), plan }, replaces))
    }
    const isNew = ({ name }: ImportedTable) => !added.some((table) => table.name === name)
    show([...loadedTables().filter(isNew), ...added], state.getSnapshot().missing.filter(isNew))
    return added
  }

  async function remove(name: string): Promise<void> {
    await whenFilled()
    const others = (tables: readonly ImportedTable[]) => tables.filter((table) => table.name !== name)
    if (loadedTables().some((table) => table.name === name)) await engine.drop(name)
    unsaved.delete(name)
    await (await browserStorage).tables.remove(name)
    locks.release(name)
    show(others(loadedTables()), others(state.getSnapshot().missing))
  }

  function showChanged(name: string, next: ImportedTable): void {
    const changed = (list: readonly ImportedTable[]) => list.map((table) => (table.name === name ? next : table))
    show(changed(loadedTables()), changed(state.getSnapshot().missing))
  }

  async function write(name: string, next: ImportedTable): Promise<void> {
    await (await browserStorage).tables.change(name, next)
    locks.release(name)
  }

  async function rename(from: string, to: string): Promise<void> {
    if (from === to) return
    await whenFilled()
    if (loadedTables().some(({ name }) => name === from)) await engine.rename(from, to)
    const source = unsaved.get(from)
    unsaved.delete(from)
    if (source !== undefined) unsaved.set(to, { ...source, plan: renamedPlan(source.plan, from, to) })
    const table = known().find(({ name }) => name === from)
    if (table === undefined) return
    const next = { ...table, name: to }
    await write(from, next).catch(() => undefined) // then the new name lasts until the page closes
    showChanged(from, next)
  }

  /** A lock applies before it is stored and even if that fails. Unlocking applies after it is stored. */
  async function setNeverSent(name: string, columns: readonly string[]): Promise<void> {
    await whenFilled()
    const table = known().find((one) => one.name === name)
    if (table === undefined) return
    const applyLocks = async (neverSent: readonly string[]) => {
      if (loadedTables().some((one) => one.name === name)) await engine.setNeverSent(name, neverSent)
      showChanged(name, { ...table, neverSent })
    }
    const added = columns.filter((column) => !table.neverSent.includes(column))
    const locked = [...table.neverSent, ...added]
    if (added.length > 0) {
      // First, because an engine that restarts meanwhile is filled from storage.
      locks.hold(table, added)
      await applyLocks(locked)
    }
    try {
      await write(name, { ...table, neverSent: columns })
    } catch (error) {
      throw added.length === 0 ? error : new LockNotStored(toStorageError(error))
    }
    if (columns.length < locked.length) await applyLocks(columns)
  }

  void browserStorage.then(({ isLasting }) => state.update({ isLasting }))
  void list()
  const watching = browserStorage.then((opened) =>
    opened.watch(({ what }) => {
      if (what === 'tables') followSoon()
    }),
  )

  return {
    state,
    sourceOf,
    fill,
    add: (file: ImportSource, plan: ImportPlan, options: AddOptions) => alone(() => add(file, plan, options)),
    /** Adds rows of other tables: columns with a name that is locked anywhere start locked. */
    addMade: (file: ImportSource, plan: ImportPlan) =>
      alone(() => add(file, plan, { isKept: true, replaces: [], isMade: true })),
    remove: (name: string) => alone(() => remove(name)),
    rename: (from: string, to: string) => alone(() => rename(from, to)),
    setNeverSent: (name: string, columns: readonly string[]) => alone(() => setNeverSent(name, columns)),
    async persist() {
      const isPersistent = await (await browserStorage).persist()
      await measure()
      return isPersistent
    },
    /** Resolves when none of these is missing. */
    whenTablesReady: (names: readonly string[], signal: AbortSignal) => untilTablesReady(state, names, signal),
    close: () => void watching.then((stop) => stop()),
  }
}

function untilTablesReady(state: Store<TablesState>, names: readonly string[], signal: AbortSignal): Promise<void> {
  const isHere = () => {
    const { tables, missing } = state.getSnapshot()
    return tables !== null && !missing.some(({ name }) => names.includes(name))
  }
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    if (isHere()) return resolve()
    const leave = state.subscribe(() => {
      if (!isHere()) return
      leave()
      resolve()
    })
    signal.addEventListener(
      'abort',
      () => {
        leave()
        reject(signal.reason)
      },
      { once: true },
    )
  })
}

const sorted = (tables: readonly ImportedTable[]) =>
  tables.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt) || one.name.localeCompare(other.name))

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name))

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

const onlyTable = (plan: ImportPlan, name: string): ImportPlan => ({
  ...plan,
  tables: plan.tables.filter((table) => table.isChosen && table.name === name),
})
