// Conversations on disk: one file of lines per conversation, only ever added to. A process that dies in the middle of a
// line leaves everything before it.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { Branch } from '../../backend.ts'
import { TurnStop } from '../turn-stop.ts'
import { branchEntries } from './branch-entries.ts'
import { Entry } from './entry.ts'
import { readEntries } from './read-entries.ts'
import { settleCalls } from './settle-calls.ts'

export interface Conversation {
  readonly id: string
  /** Where it is kept. */
  readonly file: string
  entries(): readonly Entry[]
  /** Resolves when a process that dies now leaves it behind. Rejects with `TurnStop` what could not be read back. */
  add(entry: Entry): Promise<void>
}

export interface Resumed {
  readonly conversation: Conversation
  /** Could not be read any more. Counted once: the conversation goes on without them. */
  readonly lostLines: number
}

export interface ConversationStore {
  /** A new one; nothing is written before its first entry. */
  begin(sessionId: SessionId): Conversation
  /** `null` when there is none by this id any more, or nothing of it can be read. */
  resume(sessionId: SessionId, id: string): Promise<Resumed | null>
  /** Returns the id of the new one, `null` for an empty one. Throws `rewind.unavailable`. */
  branch(branch: Branch): Promise<string | null>
  forget(sessionId: SessionId): Promise<void>
}

/** What stands in file names: ids of sessions and conversations, which come from a log. */
const safeName = /^[\w-]{1,100}$/

export function createConversationStore(folder: string): ConversationStore {
  const fileOf = (sessionId: string, id: string): string => {
    if (!safeName.test(sessionId) || !safeName.test(id)) throw new Error(`"${id}" is no id of a conversation`)
    return join(folder, sessionId, `${id}.jsonl`)
  }

  function opened(id: string, file: string, known: readonly Entry[]): Conversation {
    const entries = [...known]
    let hasFolder = known.length > 0
    let written: Promise<unknown> = Promise.resolve()
    /** A write that failed may have left the beginning of a line. */
    let isTorn = false
    async function write(line: string): Promise<void> {
      if (!hasFolder) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      hasFolder = true
      const text = isTorn ? `\n${line}` : line
      isTorn = true
      // In place: handed to another thread, opening, writing and closing cost a turn ten times as much as they take.
      appendFileSync(file, text, { mode: 0o600 })
      isTorn = false
    }
    return {
      id,
      file,
      entries: () => entries,
      async add(entry) {
        const line = lineOf(entry)
        entries.push(entry)
        // One after the other: the first waits for its folder.
        const writing = written.then(() => write(line))
        written = writing.catch(() => undefined)
        await writing
      },
    }
  }

  return {
    begin(sessionId) {
      const id = randomUUID()
      return opened(id, fileOf(sessionId, id), [])
    },
    async resume(sessionId, id) {
      const file = fileOf(sessionId, id)
      const read = await readEntries(file)
      if (read === null) return null
      const { entries, lostLines } = read
      if (lostLines > 0) await replace(file, entries)
      const conversation = opened(id, file, entries)
      const results = settleCalls(entries)
      if (results !== null) await conversation.add(results)
      return { conversation, lostLines }
    },
    async branch({ fromSessionId, toSessionId, backendSessionId, at }) {
      const read = await readEntries(fileOf(fromSessionId, backendSessionId))
      const branched = branchEntries(read?.entries ?? [], at)
      if (branched.length === 0) return null
      const id = randomUUID()
      const file = fileOf(toSessionId, id)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, branched.map(lineOf).join(''), { mode: 0o600 })
      return id
    },
    async forget(sessionId) {
      if (safeName.test(sessionId)) await rm(join(folder, sessionId), { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** The damaged one stays beside it, for whoever wants to look. */
async function replace(file: string, entries: readonly Entry[]): Promise<void> {
  await copyFile(file, `${file}.damaged`)
  await writeFile(`${file}.mended`, entries.map(lineOf).join(''), { mode: 0o600 })
  await rename(`${file}.mended`, file)
}

/** Only what can be read back is kept: one line that cannot would break the conversation for good. Throws `TurnStop`. */
function lineOf(entry: Entry): string {
  const checked = Entry.safeParse(entry)
  if (!checked.success) throw notStorable(entry, z.prettifyError(checked.error))
  try {
    return `${JSON.stringify(checked.data)}\n`
  } catch (error) {
    throw notStorable(entry, error instanceof Error ? error.message : String(error))
  }
}

const notStorable = ({ type }: Entry, why: string): TurnStop =>
  new TurnStop('failed', `the conversation cannot keep what came (${type}): ${why.slice(0, 500)}`)
