// Writes that wait together are committed together: one transaction and one sync for all of them. A sync stops the whole
// process for as long as the disk takes, and what arrives meanwhile is the next group.
import { CompiledQuery, type Transaction } from 'kysely'
import type { StoreTables } from './tables.ts'

type Trx = Transaction<StoreTables>

/** Runs a write in a transaction and resolves once it is committed. One that fails leaves the others of its group alone. */
export type Commit = <Result>(write: (trx: Trx) => Promise<Result>) => Promise<Result>

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
}

/** @param transact runs its argument in one transaction. */
export function createGroupCommit(transact: (write: (trx: Trx) => Promise<void>) => Promise<void>): GroupCommit {
  const waiting: Waiting[] = []
  let running: Promise<void> | null = null

  async function commitAll(): Promise<void> {
    while (waiting.length > 0) {
      // What other sessions have ready in this round of the event loop comes along; for a single one it costs nothing.
      await new Promise((resolve) => setImmediate(resolve))
      await commitGroup(waiting.splice(0, groupLimit), transact)
    }
    running = null
  }

  return {
    commit: (write) =>
      new Promise((resolve, reject) => {
        const settle = async (trx: Trx) => {
          const result = await write(trx)
          return () => resolve(result)
        }
        waiting.push({ write: settle, reject })
        running ??= commitAll()
      }),
    settled: async () => running ?? undefined,
  }
}

async function commitGroup(
  group: readonly Waiting[],
  transact: (write: (trx: Trx) => Promise<void>) => Promise<void>,
): Promise<void> {
  const open = new Set(group)
  const acknowledge: (() => void)[] = []
  try {
    await transact(async (trx) => {
      for (const one of group) {
        if (group.length === 1) acknowledge.push(await one.write(trx))
        else acknowledge.push(await writeApart(trx, one, () => open.delete(one)))
      }
    })
    for (const settle of acknowledge) settle()
  } catch (error) {
    for (const { reject } of open) reject(error)
  }
}

/** One of several: what it wrote is undone alone if it fails. */
async function writeApart(trx: Trx, { write, reject }: Waiting, refused: () => void): Promise<() => void> {
  await trx.executeQuery(savepoint)
  try {
    const settle = await write(trx)
    await trx.executeQuery(release)
    return settle
  } catch (error) {
    try {
      await trx.executeQuery(rollBack)
    } catch {
      // A full disk has undone the whole transaction: then this error is everybody's.
      throw error
    }
    refused()
    return () => reject(error)
  }
}

const savepoint = CompiledQuery.raw('savepoint one_write')
const release = CompiledQuery.raw('release savepoint one_write')
const rollBack = CompiledQuery.raw('rollback to savepoint one_write')
