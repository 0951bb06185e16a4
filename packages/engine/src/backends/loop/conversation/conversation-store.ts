// Conversations on disk: one append-only file of lines per conversation. A crash in the middle of a line loses only
// that line.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { Branch, BranchPoint } from '../../backend.ts'
import { TurnStop } from '../turn-stop.ts'
import { Entry } from './entry.ts'
import { missingResults } from './missing-results.ts'
import { readEntries } from './read-entries.ts'

export interface Conversation {
  readonly id: string
  /** The path of the file. */
  readonly file: string
  entries(): readonly Entry[]
  /** Resolves when the entry would survive a crash. Rejects with `TurnStop` if the entry could not be read back. */
  add(entry: Entry): Promise<void>
}

export interface Resumed {
  readonly conversation: Conversation
  /** The number of unreadable lines. Reported once: the conversation continues without them. */
  readonly lostLines: number
}

export type ConversationStore = ReturnType<typeof createConversationStore>

/** Session and conversation ids come from a log and become file names. */
const safeName = /^[\w-]{1,100}$/

export function createConversationStore(folder: string) {
  const fileOf = (sessionId: string, id: string): string => {
    if (!safeName.test(sessionId) || !safeName.test(id)) throw new Error(`"${id}" is not a conversation id`)
    return join(folder, sessionId, `${id}.jsonl`)
  }

  function opened(id: string, file: string, known: readonly Entry[]): Conversation {
    const entries = [...known]
    let hasFolder = known.length > 0
    let written: Promise<unknown> = Promise.resolve()
    /** A failed write may have left part of a line. */
    let isTorn = false
    async function write(line: string): Promise<void> {
      if (!hasFolder) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      hasFolder = true
      const text = isTorn ? `\n${line}` : line
      isTorn = true
      // Synchronous: opening, writing and closing in a worker thread take ten times as long as the calls themselves.
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
        // In order: the first write waits for its folder.
        const writing = written.then(() => write(line))
        written = writing.catch(() => undefined)
        await writing
      },
    }
  }

  return {
    /** A new conversation; nothing is written before its first entry. */
    begin(sessionId: SessionId): Conversation {
      const id = randomUUID()
      return opened(id, fileOf(sessionId, id), [])
    },
    /** `null` if the conversation no longer exists or cannot be read at all. */
    async resume(sessionId: SessionId, id: string): Promise<Resumed | null> {
      const file = fileOf(sessionId, id)
      const read = await readEntries(file)
      if (read === null) return null
      const { entries, lostLines } = read
      if (lostLines > 0) await replace(file, entries)
      const conversation = opened(id, file, entries)
      const results = missingResults(entries)
      if (results !== null) await conversation.add(results)
      return { conversation, lostLines }
    },
    /** Returns the id of the branch, `null` if it is empty. Throws `rewind.unavailable`. */
    async branch({ fromSessionId, toSessionId, backendSessionId, at }: Branch): Promise<string | null> {
      const read = await readEntries(fileOf(fromSessionId, backendSessionId))
      const branched = branchEntries(read?.entries ?? [], at)
      if (branched.length === 0) return null
      const id = randomUUID()
      const file = fileOf(toSessionId, id)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, branched.map(lineOf).join(''), { mode: 0o600 })
      return id
    },
    async forget(sessionId: SessionId) {
      if (safeName.test(sessionId)) await rm(join(folder, sessionId), { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** The start of a conversation up to a point. Throws `rewind.unavailable` if there is no such point. */
function branchEntries(entries: readonly Entry[], at: BranchPoint): readonly Entry[] {
  if (at.type === 'end') return entries
  const index = entries.findIndex((entry) =>
    at.type === 'before'
      ? entry.type === 'prompt' && entry.messageId === at.messageId
      : entry.type === 'answer' && entry.messageId === at.messageId,
  )
  if (index < 0) throw new QuarterdeckError('rewind.unavailable', `the conversation has no message ${at.messageId}`)
  return entries.slice(0, at.type === 'before' ? index : index + 1)
}

/** The damaged file is kept next to the repaired one. */
async function replace(file: string, entries: readonly Entry[]): Promise<void> {
  await copyFile(file, `${file}.damaged`)
  await writeFile(`${file}.mended`, entries.map(lineOf).join(''), { mode: 0o600 })
  await rename(`${file}.mended`, file)
}

/** Only entries that can be read back are stored: one invalid line would break the conversation. Throws `TurnStop`. */
function lineOf(entry: Entry): string {
  const checked = Entry.safeParse(entry)
  if (!checked.success) throw notStorable(entry, z.prettifyError(checked.error))
  try {
    return `${JSON.stringify(checked.data)}\n`
  } catch (error) {
    throw notStorable(entry, messageOf(error))
  }
}

const notStorable = ({ type }: Entry, why: string): TurnStop =>
  new TurnStop('failed', `the conversation cannot store this entry (${type}): ${why.slice(0, 500)}`)
