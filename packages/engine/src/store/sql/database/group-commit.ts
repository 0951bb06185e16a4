// Commits waiting writes together, in one transaction with one sync. A sync blocks the whole process for as long as the
// disk takes; writes that arrive meanwhile form the next group.

import type { SessionId } from '@quarterdeck/protocol'
import { CompiledQuery, type Transaction } from 'kysely'
import { yieldToEventLoop } from '../../../async/yield-to-event-loop.ts'
import { type AuditHead, emptyChain } from '../../../audit/audit-entry.ts'
import type { HeadNote } from '../../../audit/head-note.ts'
import type { StoreTables } from './tables.ts'

type Trx = Transaction<StoreTables>

/** Reports the last event that a write leaves in a session; 0 if it deletes the session. */
export type Touch = (sessionId: SessionId, seq: number) => void

/**
 * Runs a write in a transaction and resolves once it is committed. A failed write does not affect the others of its
 * group. `writer` identifies the caller: while there is only one, a commit waits for no others.
 */
export type Commit = <Result>(write: (trx: Trx, touch: Touch) => Promise<Result>, writer?: string) => Promise<Result>

/** Records a note for each group that changed the audit chain or a session. */
export interface HeadRecording {
  /** The end of the chain after the last write. Each added entry makes a new object, so identity shows a change. */
  head(): AuditHead
  /** Called after the commit and before its writers get their results. Must not throw. */
  note(note: HeadNote): void
}

export interface GroupCommit {
  readonly commit: Commit
  /** Resolves when no write is waiting. */
  settled(): Promise<void>
}

/** The process is blocked while a group is written, so its size is limited. */
const groupLimit = 100

interface Written {
  readonly acknowledge: () => void
  readonly touched: ReadonlyMap<SessionId, number>
  /** The end of the chain after this write; `null` if it added nothing to the chain. */
  readonly head: AuditHead | null
}

interface Waiting {
  readonly write: (trx: Trx) => Promise<Written>
  readonly reject: (error: unknown) => void
  readonly writer: string | undefined
}

type Transact = (write: (trx: Trx) => Promise<void>) => Promise<void>

/** @param transact runs its argument in one transaction. */
export function createGroupCommit(transact: Transact, recording: HeadRecording | null = null): GroupCommit {
  const noteHead = recording === null ? null : createRecordHead(recording)
  const waiting: Waiting[] = []
  let running: Promise<void> | null = null
  let lastWriter: string | undefined

  async function commitAll(): Promise<void> {
    while (waiting.length > 0) {
      const [first] = waiting
      const isAlone = waiting.length === 1 && first?.writer !== undefined && first.writer === lastWriter
      // Collects the writes that others request in this round of the event loop.
      if (!isAlone) await yieldToEventLoop()
      const group = waiting.splice(0, groupLimit)
      lastWriter = group.at(-1)?.writer
      await commitGroup(group, transact, noteHead)
    }
    running = null
  }

  return {
    commit: (write, writer) =>
      new Promise((resolve, reject) => {
        const settle = async (trx: Trx) => {
          const touched = new Map<SessionId, number>()
          const before = recording?.head()
          const result = await write(trx, (sessionId, seq) => touched.set(sessionId, seq))
          const after = recording?.head()
          return { acknowledge: () => resolve(result), touched, head: after === before ? null : (after ?? null) }
        }
        waiting.push({ write: settle, reject, writer })
        running ??= commitAll()
      }),
    settled: async () => running ?? undefined,
  }
}

type RecordHead = (written: readonly Written[]) => void

/** Uses only committed writes: a write that was rolled back has moved the head too. */
function createRecordHead({ note }: HeadRecording): RecordHead {
  let head = emptyChain
  return (written) => {
    const moved = written.findLast((one) => one.head !== null)?.head ?? null
    const sessions = Object.fromEntries(written.flatMap(({ touched }) => [...touched]))
    if (moved === null && Object.keys(sessions).length === 0) return
    head = moved ?? head
    note({ entries: head.entries, hash: head.hash, sessions })
  }
}

async function commitGroup(group: readonly Waiting[], transact: Transact, noteHead: RecordHead | null): Promise<void> {
  const written: Written[] = []
  try {
    await transact(async (trx) => {
      for (const one of group) {
        const done = await (group.length === 1 ? one.write(trx) : writeApart(trx, one))
        if (done !== null) written.push(done)
      }
    })
    noteHead?.(written)
    for (const { acknowledge } of written) acknowledge()
  } catch (error) {
    // A write that was refused before already has its own error.
    for (const { reject } of group) reject(error)
  }
}

/**
 * One of several writes: it is rolled back alone if it fails. Returns `null` then, because its caller has the error.
 */
async function writeApart(trx: Trx, { write, reject }: Waiting): Promise<Written | null> {
  await trx.executeQuery(savepoint)
  try {
    const written = await write(trx)
    await trx.executeQuery(release)
    return written
  } catch (error) {
    try {
      await trx.executeQuery(rollBack)
    } catch {
      // A full disk has rolled back the whole transaction: the error applies to every write.
      throw error
    }
    reject(error)
    return null
  }
}

const savepoint = CompiledQuery.raw('savepoint one_write')
const release = CompiledQuery.raw('release savepoint one_write')
const rollBack = CompiledQuery.raw('rollback to savepoint one_write')
