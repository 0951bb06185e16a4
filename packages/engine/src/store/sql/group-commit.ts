// Writes that wait together are committed together: one transaction and one sync for all of them. A sync stops the whole
// process for as long as the disk takes, and what arrives meanwhile is the next group.
import { CompiledQuery, type Transaction } from 'kysely'
import type { StoreTables } from './tables.ts'

type Trx = Transaction<StoreTables>

/**
 * Runs a write in a transaction and resolves once it is committed. One that fails leaves the others of its group alone.
 * `writer` names whose it is: while only one writes, nobody is waited for.
 */
export type Commit = <Result>(write: (trx: Trx) => Promise<Result>, writer?: string) => Promise<Result>

export interface GroupCommit {
  readonly commit: Commit
  /** Resolves when nothing waits any more. */
  settled(): Promise<void>
}

/** The process does nothing else while a group is written: there is a bound to how long. */
const groupLimit = 100

interface Waiting {
  /** Returns what to call after the commit. */
  readonly write: (trx: Trx) => Promise<() => void>
  readonly reject: (error: unknown) => void
  readonly writer: string | undefined
}

/** @param transact runs its argument in one transaction. */
export function createGroupCommit(transact: (write: (trx: Trx) => Promise<void>) => Promise<void>): GroupCommit {
  const waiting: Waiting[] = []
  let running: Promise<void> | null = null
  let lastWriter: string | undefined

  async function commitAll(): Promise<void> {
    while (waiting.length > 0) {
      const [first] = waiting
      const isAlone = waiting.length === 1 && first?.writer !== undefined && first.writer === lastWriter
      // What others have ready in this round of the event loop comes along.
      if (!isAlone) await new Promise((resolve) => setImmediate(resolve))
      const group = waiting.splice(0, groupLimit)
      lastWriter = group.at(-1)?.writer
      await commitGroup(group, transact)
    }
    running = null
  }

  return {
    commit: (write, writer) =>
      new Promise((resolve, reject) => {
        const settle = async (trx: Trx) => {
          const result = await write(trx)
          return () => resolve(result)
        }
        waiting.push({ write: settle, reject, writer })
        running ??= commitAll()
      }),
    settled: async () => running ?? undefined,
  }
}

async function commitGroup(
  group: readonly Waiting[],
  transact: (write: (trx: Trx) => Promise<void>) => Promise<void>,
): Promise<void> {
  const written: (() => void)[] = []
  try {
    await transact(async (trx) => {
      for (const one of group) {
        const acknowledge = await (group.length === 1 ? one.write(trx) : writeApart(trx, one))
        if (acknowledge !== null) written.push(acknowledge)
      }
    })
    for (const acknowledge of written) acknowledge()
  } catch (error) {
    // Whoever was refused before has heard its own reason: this comes too late to change it.
    for (const { reject } of group) reject(error)
  }
}

/** One of several: what it wrote is undone alone if it fails. `null` then: it has been told. */
async function writeApart(trx: Trx, { write, reject }: Waiting): Promise<(() => void) | null> {
  await trx.executeQuery(savepoint)
  try {
    const acknowledge = await write(trx)
    await trx.executeQuery(release)
    return acknowledge
  } catch (error) {
    try {
      await trx.executeQuery(rollBack)
    } catch {
      // A full disk has undone the whole transaction: then this error is everybody's.
      throw error
    }
    reject(error)
    return null
  }
}

const savepoint = CompiledQuery.raw('savepoint one_write')
const release = CompiledQuery.raw('release savepoint one_write')
const rollBack = CompiledQuery.raw('rollback to savepoint one_write')
