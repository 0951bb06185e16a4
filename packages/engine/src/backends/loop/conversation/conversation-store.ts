// Conversations on disk: one file of lines per conversation, only ever added to. A process that dies in the middle of a
// line leaves everything before it.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import type { Branch } from '../../backend.ts'
import { branchEntries } from './branch-entries.ts'
import { Entry } from './entry.ts'
import { settleCalls } from './settle-calls.ts'

export interface Conversation {
  readonly id: string
  /** Where it is kept. */
  readonly file: string
  entries(): readonly Entry[]
  /** Resolves when a process that dies now leaves it behind. */
  add(entry: Entry): Promise<void>
}

export interface ConversationStore {
  /** A new one; nothing is written before its first entry. */
  begin(sessionId: SessionId): Conversation
  /** `null` when there is none by this id any more. */
  resume(sessionId: SessionId, id: string): Promise<Conversation | null>
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
    async function write(entry: Entry): Promise<void> {
      if (!hasFolder) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      hasFolder = true
      // In place: handed to another thread, opening, writing and closing cost a turn ten times as much as they take.
      appendFileSync(file, lineOf(entry), { mode: 0o600 })
    }
    return {
      id,
      file,
      entries: () => entries,
      add(entry) {
        entries.push(entry)
        // One after the other: the first waits for its folder.
        const writing = written.then(() => write(entry))
        written = writing.catch(() => undefined)
        return writing
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
      const entries = await readEntries(file)
      if (entries === null) return null
      const conversation = opened(id, file, entries)
      const results = settleCalls(entries)
      if (results !== null) await conversation.add(results)
      return conversation
    },
    async branch({ fromSessionId, toSessionId, backendSessionId, at }) {
      const entries = (await readEntries(fileOf(fromSessionId, backendSessionId))) ?? []
      const kept = branchEntries(entries, at)
      if (kept.length === 0) return null
      const id = randomUUID()
      const file = fileOf(toSessionId, id)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, kept.map(lineOf).join(''), { mode: 0o600 })
      return id
    },
    async forget(sessionId) {
      if (safeName.test(sessionId)) await rm(join(folder, sessionId), { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

const lineOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`

async function readEntries(file: string): Promise<Entry[] | null> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  // What comes after the last whole line was being written when the process died.
  const whole = bytes.lastIndexOf('\n') + 1
  if (whole < bytes.length) await truncate(file, whole)
  const lines = bytes
    .toString('utf8', 0, whole)
    .split('\n')
    .filter((line) => line !== '')
  return lines.map((line) => Entry.parse(JSON.parse(line)))
}
