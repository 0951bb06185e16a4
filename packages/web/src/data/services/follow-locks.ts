// A lock stays with the column of the file, even if the column or the table is renamed.
import type { ImportPlan, PlannedColumn } from '../domain/import-plan.ts'
import type { ImportedTable, LockedColumn } from '../domain/imported-table.ts'

/** An existing table and its plan; `null` if unknown. */
export interface ReadTable {
  readonly table: ImportedTable
  readonly plan: ImportPlan | null
}

/** A table that is being imported. */
export interface NewReading {
  /** The name that it will have, from the plan. */
  readonly name: string
  readonly plan: ImportPlan
  readonly fingerprint: string
}

export interface FollowedLocks {
  /** By current column name. */
  readonly neverSent: readonly string[]
  /** Locked columns that are not in it now. */
  readonly lockedAway: readonly LockedColumn[]
  readonly joinsByHand: boolean
}

/** If unclear, a column is locked: the user can unlock it, but sent data cannot be taken back. */
export function followLocks(now: NewReading, there: readonly ReadTable[]): FollowedLocks {
  const planned = now.plan.tables.find(({ isChosen, name }) => isChosen && name === now.name)
  const locked = new Set<string>()
  const away: LockedColumn[] = []
  let joinsByHand = false
  const columns = planned?.columns ?? []
  const isIn = ({ type }: PlannedColumn) => type !== null
  for (const before of there) {
    const read = before.plan?.tables.find(({ isChosen, name }) => isChosen && name === before.table.name)
    const isSamePart = read === undefined || read.part === planned?.part
    const isSameFile = before.table.source.fingerprint === now.fingerprint && isSamePart
    if (!isSameFile && !isSame(before.table.name, now.name)) continue
    joinsByHand ||= before.table.joinsByHand === true
    const isSameCut = isSameFile && before.plan?.delimiter === now.plan.delimiter
    for (const lock of locksOf(before.table, read?.columns ?? [])) {
      const ofSource = columns.filter((column, index) =>
        isSameCut && lock.index !== null ? index === lock.index : isSourceOf(column, index, lock),
      )
      // A locked name stays locked after another file takes over the table.
      const ofName = columns.filter((column) => isIn(column) && isSame(column.name, lock.name))
      // With another delimiter, values may be in any column.
      const isAnywhere = isSameFile && !isSameCut && lock.index !== null && ofSource.length === 0
      const found = isAnywhere ? columns : [...ofSource, ...ofName]
      for (const { name } of found.filter(isIn)) locked.add(name)
      const isAway = ofSource.length > 0 ? !ofSource.some(isIn) : ofName.length === 0
      if (isAway) away.push({ name: lock.name, sourceName: lock.sourceName })
    }
  }
  return { neverSent: [...locked], lockedAway: withoutDoubles(away), joinsByHand }
}

interface Lock extends LockedColumn {
  /** The name of the column in its file. */
  readonly index: number | null
}

function locksOf({ neverSent, lockedAway = [] }: ImportedTable, columns: readonly PlannedColumn[]): readonly Lock[] {
  const lockAt = (lock: LockedColumn, index: number): Lock => ({ ...lock, index: index < 0 ? null : index })
  return [
    ...neverSent.map((name) => {
      const index = columns.findIndex((column) => column.type !== null && isSame(column.name, name))
      return lockAt({ name, sourceName: columns[index]?.sourceName ?? null }, index)
    }),
    ...lockedAway.map((lock) => {
      const isIt = ({ name, sourceName }: PlannedColumn) => name === lock.name && sourceName === lock.sourceName
      return lockAt(lock, columns.findIndex(isIt))
    }),
  ]
}

/** In another file, or in the same one with other options: by name in the file; unnamed columns by position. */
function isSourceOf({ sourceName }: PlannedColumn, index: number, lock: Lock): boolean {
  if (sourceName.trim() === '') return lock.sourceName?.trim() === '' && lock.index === index
  return [lock.sourceName, lock.name].some((name) => name !== null && isSame(name, sourceName))
}

const withoutDoubles = (locks: readonly LockedColumn[]): readonly LockedColumn[] =>
  locks.filter(
    ({ name, sourceName }, at) => at === locks.findIndex((one) => one.name === name && one.sourceName === sourceName),
  )

/** DuckDB ignores case in names. */
const isSame = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()
