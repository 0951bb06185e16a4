// What the working directory looked like before each of the last messages. The CLI keeps earlier states of the files its
// own tools write; these notes tell what else has changed since, which it cannot bring back.
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { UserMessageId } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { ToolCall } from '../../backend.ts'
import { questionTool } from '../../question-tool.ts'
import { listNoFollow, makeFolderNoFollow, readFileNoFollow, writeNewFile } from '../cli/no-follow-files.ts'
import { FolderManifest, takeManifest } from './folder-manifest.ts'

export interface CheckpointNotes {
  /** A message is on its way. What the folder looks like is noted only when something may change it. */
  note(messageId: UserMessageId): Promise<void>
  /** Resolves when the call may go on: what it may change has been noted. Never rejects. */
  before(call: Pick<ToolCall, 'toolName'>): Promise<void>
  /** The folder before a message: `unchanged` since then, or `null` when it is not known any more. */
  find(messageId: UserMessageId): Promise<FolderManifest | 'unchanged' | null>
  /** The messages before and after one; none when it is not known any more. */
  around(
    messageId: UserMessageId,
  ): Promise<{ readonly earlier: readonly UserMessageId[]; readonly later: readonly UserMessageId[] }>
}

export interface CheckpointFolders {
  /** The session's own folder, out of the agent's sight. */
  readonly folder: string
  readonly cwd: string
  /** Folders of ours below the working directory. */
  readonly hidden: readonly string[]
}

const Notes = z.array(z.object({ messageId: UserMessageId, manifest: z.string().nullable() }))
type Notes = z.infer<typeof Notes>

/** In the place of a manifest's name, and no name itself: what the folder looked like was not noted in time. */
const unknown = 'unknown'

const maxCheckpoints = 50
const maxBytes = 16 * 1024 * 1024
const readOnly = new Set(['Read', 'Glob', 'Grep', 'LS', 'WebFetch', 'WebSearch', 'TodoWrite', 'Agent', questionTool])

export function createCheckpointNotes({ folder, cwd, hidden }: CheckpointFolders): CheckpointNotes {
  // One after the other: each reads what the last one wrote.
  let last: Promise<unknown> = Promise.resolve()
  // Messages are counted as they come, are written and are looked after: a call may overtake what is still in line.
  const count = { noted: 0, written: 0, scanned: -1 }
  // Messages after which something may have changed before the folder could be noted.
  const lost = new Set<UserMessageId>()

  function inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    const next = last.then(step)
    last = next.catch(() => undefined)
    return next
  }

  async function known(): Promise<Notes> {
    const notes = await readNotes(folder)
    return notes.map((note) => (lost.has(note.messageId) ? { ...note, manifest: unknown } : note))
  }

  async function keep(notes: Notes): Promise<void> {
    await writeNotes(folder, notes)
    lost.clear()
  }

  async function scan(): Promise<void> {
    const upTo = count.written
    const notes = await known()
    const open = notes.filter(({ manifest }) => manifest === null)
    try {
      if (open.length > 0) await addCheckpoint(notes)
    } catch {
      // The call goes on, and a later look would take what it changed for what was there before.
      for (const { messageId } of open) lost.add(messageId)
    }
    count.scanned = upTo
  }

  async function addCheckpoint(notes: Notes): Promise<void> {
    const text = JSON.stringify(await takeManifest(cwd, hidden))
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    await write(folder, `${name}.json`, text)
    await keep(notes.map((note) => ({ ...note, manifest: note.manifest ?? name })))
  }

  async function add(messageId: UserMessageId): Promise<void> {
    const notes = await known()
    if (notes.some((note) => note.messageId === messageId)) return
    await keep([...notes, { messageId, manifest: null }].slice(-maxCheckpoints))
  }

  return {
    async note(messageId) {
      count.noted += 1
      const number = count.noted
      // A message that could not be written is one of which nothing is known.
      await inTurn(() => add(messageId).finally(() => (count.written = number))).catch(() => undefined)
    },
    async before({ toolName }) {
      if (readOnly.has(toolName)) return
      await (count.scanned < count.noted ? inTurn(scan).catch(() => undefined) : last)
    },
    around: (messageId) =>
      inTurn(async () => {
        const ids = (await readNotes(folder)).map((note) => note.messageId)
        const index = ids.indexOf(messageId)
        return { earlier: ids.slice(0, Math.max(0, index)), later: index < 0 ? [] : ids.slice(index + 1) }
      }),
    find: (messageId) =>
      inTurn(async () => {
        const notes = await known()
        const index = notes.findIndex((note) => note.messageId === messageId)
        if (index < 0) return null
        const name = notes.slice(index).find(({ manifest }) => manifest !== null)?.manifest
        return typeof name === 'string' ? readManifest(folder, name) : 'unchanged'
      }),
  }
}

/** Gives a branch the notes of the session it comes from. */
export async function copyNotes(from: string, to: string): Promise<void> {
  const notes = await readNotes(from)
  for (const { manifest } of notes) {
    const found = manifest === null ? null : await readManifest(from, manifest)
    if (found !== null && manifest !== null) await write(to, `${manifest}.json`, JSON.stringify(found))
  }
  if (notes.length > 0) await writeNotes(to, notes)
}

const checkpointFolder = (folder: string) => join(folder, 'checkpoints')

async function readNotes(folder: string): Promise<Notes> {
  const notes = Notes.safeParse(parse(await readFileNoFollow(join(checkpointFolder(folder), 'notes.json'), maxBytes)))
  return notes.success ? notes.data : []
}

async function readManifest(folder: string, name: string): Promise<FolderManifest | null> {
  if (!/^[0-9a-f]{32}$/.test(name)) return null
  const manifest = FolderManifest.safeParse(
    parse(await readFileNoFollow(join(checkpointFolder(folder), `${name}.json`), maxBytes)),
  )
  return manifest.success ? manifest.data : null
}

async function writeNotes(folder: string, notes: Notes): Promise<void> {
  await write(folder, 'notes.json', JSON.stringify(notes))
  const needed = new Set(['notes.json', ...notes.map(({ manifest }) => `${manifest}.json`)])
  for (const { name } of listNoFollow(checkpointFolder(folder))) {
    if (!needed.has(name)) rmSync(join(checkpointFolder(folder), name), { recursive: true, force: true })
  }
}

/** Takes the place of what is there, and never writes through it. */
async function write(folder: string, name: string, text: string): Promise<void> {
  const target = makeFolderNoFollow(folder, ['checkpoints'])
  if (target === null) throw new Error(`something stands in the place of ${checkpointFolder(folder)}`)
  const fresh = join(target, `${name}.new`)
  rmSync(fresh, { recursive: true, force: true })
  await writeNewFile(fresh, text)
  await rename(fresh, join(target, name))
}

function parse(content: Buffer | null): unknown {
  try {
    return content === null ? null : JSON.parse(content.toString('utf8'))
  } catch {
    // Half-written by a crash: then nothing is known.
    return null
  }
}
