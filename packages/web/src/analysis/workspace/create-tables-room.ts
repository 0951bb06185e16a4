// The tables of this browser, in the engine of this tab and where they are kept.
import { createCell, type Store } from '../../state/cell.ts'
import { type Engine, EngineError, type ImportedRows } from '../engine.ts'
import { importFile } from '../import/import-file.ts'
import { sourceOfBytes } from '../import/source-file.ts'
import type { ImportPlan, SourceFile } from '../import-plan.ts'
import { fingerprintOf } from '../kept/fingerprint.ts'
import { type Kept, toKeptError } from '../kept/kept.ts'
import type { KeptTable } from '../kept-table.ts'
import { LockNotKept } from '../lock-not-kept.ts'
import type { AddOptions, TableSource, TablesState } from '../workspace.ts'
import type { Filling } from './create-engine-room.ts'
import { fillInTurn } from './fill-in-turn.ts'
import { type FollowedLocks, followLocks, type ReadTable } from './follow-locks.ts'
import { createHeldLocks, sameRows } from './held-locks.ts'
import { nameBeside, planBeside, renamedPlan } from './name-beside.ts'

export interface TablesRoom {
  readonly state: Store<TablesState>
  /** Into an engine that has none of them. */
  fill(engine: Engine): Filling
  add(file: SourceFile, plan: ImportPlan, options: AddOptions): Promise<readonly KeptTable[]>
  /** Rows of other tables: columns of a name that is never sent anywhere start as such. */
  addMade(file: SourceFile, plan: ImportPlan): Promise<readonly KeptTable[]>
  remove(name: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  setNeverSent(name: string, columns: readonly string[]): Promise<void>
  sourceOf(name: string): Promise<TableSource | null>
  persist(): Promise<boolean>
  /** Resolves when none of these is missing. */
  whenHere(names: readonly string[], signal: AbortSignal): Promise<void>
  close(): void
}

interface NewTable extends AddOptions {
  readonly isMade?: boolean
}

export interface TablesRoomOptions {
  readonly kept: Promise<Kept>
  readonly engine: Engine
  /** How a file becomes tables. */
  readonly readIn?: typeof importFile
}

const mostRejected = 1000

export function createTablesRoom({ kept, engine, readIn = importFile }: TablesRoomOptions): TablesRoom {
  const state = createCell<TablesState>({ isLasting: null, tables: null, listed: null, missing: [], storage: null })
  /** Files that are only here until the page is left. */
  const unkept = new Map<string, TableSource>()
  const locks = createHeldLocks()
  let isFilled = false
  /** Another tab changed something after the filling under way had looked. */
  let isBehind = false
  /** The filling that counts: the engine it is for may have begun anew since. */
  let fillings = 0
  let last: Promise<unknown> = Promise.resolve()

  /** One change after the other: what another tab changed comes in between, never in the middle. */
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(work)
    last = next.catch(() => undefined) // whoever asked for it hears of it
    return next
  }

  const here = () => state.getSnapshot().tables ?? []

  function show(tables: readonly KeptTable[], missing: readonly KeptTable[]): void {
    state.update({ tables: sorted(tables), listed: sorted(tables), missing: sorted(missing) })
    void measure()
  }

  /** Names and sizes are known long before the engine has the rows. */
  async function list(): Promise<void> {
    const listed = await (await kept).tables.list().catch(() => [])
    if (isFilled) return
    state.update({
      listed: sorted(listed.filter(({ isKept }) => isKept)),
      missing: sorted(listed.filter(({ isKept }) => !isKept)),
    })
    await measure()
  }

  /** What changes a table needs it in the engine first. */
  async function whenFilled(): Promise<void> {
    if (!isFilled) await engine.tables()
  }

  async function measure(): Promise<void> {
    const storage = await (await kept).storage().catch(() => null)
    state.update({ storage })
  }

  /** The table as it is kept, or `null` where its file is not here or does not become a table any more. */
  async function bring(into: Engine, table: KeptTable, source: TableSource | null): Promise<KeptTable | null> {
    if (source === null) return null
    try {
      const plan = onlyTable(source.plan, table.name)
      await readIn(into, { bytes: await source.file.bytes(), plan, neverSent: () => table.neverSent })
      return table
    } catch (error) {
      const isDead = error instanceof EngineError && error.problem === 'dead'
      if (!isDead) await into.drop(table.name).catch(() => undefined) // it may never have been there
      return null
    }
  }

  async function sourceOf(name: string): Promise<TableSource | null> {
    const held = unkept.get(name)
    if (held !== undefined) return held
    const found = await (await kept).tables.source(name).catch(() => null)
    return found === null ? null : { plan: found.plan, file: sourceOfBytes(found.plan.file, found.bytes) }
  }

  function fill(into: Engine): Filling {
    fillings += 1
    const mine = fillings
    const found: KeptTable[] = []
    const missing: KeptTable[] = []
    const filling = fillInTurn({
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

  async function toFill(): Promise<readonly KeptTable[]> {
    const listed = locks.over(await (await kept).tables.list().catch(() => []))
    const only = here().filter((table) => unkept.has(table.name) && !listed.some(({ name }) => name === table.name))
    return [...listed, ...only]
  }

  /** Another tab has added, changed or removed something. */
  async function follow(): Promise<void> {
    isBehind = !isFilled
    if (isBehind) return list()
    const listed = locks.over(await (await kept).tables.list())
    const before = here()
    const found: KeptTable[] = []
    const missing: KeptTable[] = []
    for (const gone of before.filter(({ name }) => !listed.some((table) => table.name === name))) {
      await engine.drop(gone.name)
      unkept.delete(gone.name)
    }
    for (const table of listed) {
      const known = before.find(({ name }) => name === table.name)
      const isSame = known !== undefined && sameRows(known, table)
      if (isSame && !sameList(known.neverSent, table.neverSent)) await engine.setNeverSent(table.name, table.neverSent)
      if (!isSame && known !== undefined) {
        unkept.delete(table.name)
        await engine.drop(table.name)
      }
      const now = isSame ? table : await bring(engine, table, await sourceOf(table.name))
      if (now === null) missing.push({ ...table, isKept: false })
      else found.push(now)
    }
    show(found, missing)
  }

  const followSoon = (): void => void alone(follow).catch(() => undefined) // the next change tries again

  /** Under a name that is free, or may be taken, in the moment it is kept: other tabs add tables too. */
  async function keep(table: KeptTable, { file, plan }: TableSource, replaces: readonly string[]): Promise<KeptTable> {
    const { tables, isLasting } = await kept
    const { name, source } = table
    const put = async (as: KeptTable, bytes: Uint8Array | null): Promise<KeptTable> => {
      const made = await tables.put({ table: as, plan }, bytes, (there) =>
        nameBeside({ name, plan, replaces, fingerprint: source.fingerprint }, there),
      )
      locks.release(made.name)
      return made
    }
    unkept.delete(name)
    const loose = { ...table, isKept: false }
    const whole = table.isKept && isLasting ? await put(table, await file.bytes()).catch(() => null) : null
    // No space: it is used all the same, and says that it is not kept. Where that fails its name is lost too.
    const made = whole ?? (await put(loose, null).catch(() => loose))
    if (made.name !== name) await engine.rename(name, made.name)
    if (!made.isKept) unkept.set(made.name, { file, plan: renamedPlan(plan, name, made.name) })
    return made
  }

  const known = () => [...here(), ...state.getSnapshot().missing]

  /** The tables there are, and how their files were read. */
  async function asRead(): Promise<readonly ReadTable[]> {
    const sources = await (await kept).tables.sources().catch(() => [])
    const planOf = (name: string) =>
      unkept.get(name)?.plan ?? sources.find(({ tables }) => tables.some((table) => table.name === name))?.plan ?? null
    return [
      ...known().map((table) => ({ table, plan: planOf(table.name) })),
      // As another tab left them, perhaps a moment ago.
      ...sources.flatMap(({ tables, plan }) => tables.map((table) => ({ table, plan }))),
    ]
  }

  async function add(file: SourceFile, planned: ImportPlan, options: NewTable): Promise<readonly KeptTable[]> {
    const { isKept, replaces, onStage, signal, isMade = false } = options
    const bytes = await file.bytes()
    const fingerprint = await fingerprintOf(bytes)
    const there = [...known(), ...(await (await kept).tables.list().catch(() => []))]
    const plan = planBeside({ plan: planned, fingerprint, replaces }, there)
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
      ...{ bytes, plan, neverSent },
      ...(signal === undefined ? {} : { signal }),
      ...(onStage === undefined ? {} : { onStage }),
    })
    onStage?.('keeping')
    const source = { file: file.name, format: plan.format, sizeBytes: file.size, fingerprint }
    const added: KeptTable[] = []
    for (const rows of imported) {
      const { lockedAway = [], joinsByHand = false } = followed.get(rows.facts.name) ?? {}
      const table = {
        ...{ ...tableOf(rows), source, isKept },
        ...(mayHide || joinsByHand ? { joinsByHand: true } : {}),
        ...(lockedAway.length > 0 ? { lockedAway } : {}),
      }
      added.push(await keep(table, { file: sourceOfBytes(file.name, bytes), plan }, replaces))
    }
    const isNew = ({ name }: KeptTable) => !added.some((table) => table.name === name)
    show([...here().filter(isNew), ...added], state.getSnapshot().missing.filter(isNew))
    return added
  }

  async function remove(name: string): Promise<void> {
    await whenFilled()
    const others = (tables: readonly KeptTable[]) => tables.filter((table) => table.name !== name)
    if (here().some((table) => table.name === name)) await engine.drop(name)
    unkept.delete(name)
    await (await kept).tables.remove(name)
    locks.release(name)
    show(others(here()), others(state.getSnapshot().missing))
  }

  function showChanged(name: string, next: KeptTable): void {
    const changed = (list: readonly KeptTable[]) => list.map((table) => (table.name === name ? next : table))
    show(changed(here()), changed(state.getSnapshot().missing))
  }

  async function write(name: string, next: KeptTable): Promise<void> {
    await (await kept).tables.change(name, next)
    locks.release(name)
  }

  async function rename(from: string, to: string): Promise<void> {
    if (from === to) return
    await whenFilled()
    if (here().some(({ name }) => name === from)) await engine.rename(from, to)
    const source = unkept.get(from)
    unkept.delete(from)
    if (source !== undefined) unkept.set(to, { ...source, plan: renamedPlan(source.plan, from, to) })
    const table = known().find(({ name }) => name === from)
    if (table === undefined) return
    const next = { ...table, name: to }
    await write(from, next).catch(() => undefined) // then it has that name until the page is left
    showChanged(from, next)
  }

  /** A lock holds before it is written down, and where it cannot be; it opens when that is written down. */
  async function setNeverSent(name: string, columns: readonly string[]): Promise<void> {
    await whenFilled()
    const table = known().find((one) => one.name === name)
    if (table === undefined) return
    const tell = async (neverSent: readonly string[]) => {
      if (here().some((one) => one.name === name)) await engine.setNeverSent(name, neverSent)
      showChanged(name, { ...table, neverSent })
    }
    const added = columns.filter((column) => !table.neverSent.includes(column))
    const locked = [...table.neverSent, ...added]
    if (added.length > 0) {
      // First of all: an engine that begins anew in the middle of this is filled by what is kept.
      locks.hold(table, added)
      await tell(locked)
    }
    try {
      await write(name, { ...table, neverSent: columns })
    } catch (error) {
      throw added.length === 0 ? error : new LockNotKept(toKeptError(error))
    }
    if (columns.length < locked.length) await tell(columns)
  }

  void kept.then(({ isLasting }) => state.update({ isLasting }))
  void list()
  const watching = kept.then((opened) =>
    opened.watch(({ what }) => {
      if (what === 'tables') followSoon()
    }),
  )

  return {
    ...{ state, sourceOf, fill },
    add: (file, plan, options) => alone(() => add(file, plan, options)),
    addMade: (file, plan) => alone(() => add(file, plan, { isKept: true, replaces: [], isMade: true })),
    remove: (name) => alone(() => remove(name)),
    rename: (from, to) => alone(() => rename(from, to)),
    setNeverSent: (name, columns) => alone(() => setNeverSent(name, columns)),
    async persist() {
      const isPersistent = await (await kept).persist()
      await measure()
      return isPersistent
    },
    whenHere: (names, signal) => untilHere(state, names, signal),
    close: () => void watching.then((stop) => stop()),
  }
}

function untilHere(state: Store<TablesState>, names: readonly string[], signal: AbortSignal): Promise<void> {
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

const sorted = (tables: readonly KeptTable[]) =>
  tables.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt) || one.name.localeCompare(other.name))

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name))

function tableOf({ facts, rejectedCount, rejected }: ImportedRows) {
  const addedAt = new Date().toISOString()
  return { ...facts, rejectedCount, rejected: rejected.slice(0, mostRejected), addedAt }
}

/** Columns that the review of the file locked, and columns that it unlocked. */
function reviewedLocks({ tables }: ImportPlan, name: string) {
  const columns = tables.find((table) => table.isChosen && table.name === name)?.columns ?? []
  const named = (isLocked: boolean) => columns.filter((one) => one.isLocked === isLocked).map((one) => one.name)
  return { locked: named(true), unlocked: named(false) }
}

const onlyTable = (plan: ImportPlan, name: string): ImportPlan => ({
  ...plan,
  tables: plan.tables.filter((table) => table.isChosen && table.name === name),
})
