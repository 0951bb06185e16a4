// The state of the working directory before each of the last messages. The CLI keeps earlier states of the files that
// its own tools write. These notes show what else has changed, which the CLI cannot restore.
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createSerialQueue, parseJson, UserMessageId } from '@quarterdeck/protocol'
import { z } from 'zod'
import { questionTool } from '../../../ports/question-tool.ts'
import type { ToolCall } from '../../../ports/tool-call.ts'
import { listNoFollow, makeFolderNoFollow, readFileNoFollow, writeNewFile } from '../cli/no-follow-files.ts'
import { FolderManifest, takeManifest } from './folder-manifest.ts'

export type CheckpointNotes = ReturnType<typeof createCheckpointNotes>

export interface CheckpointFolders {
  /** The session's own folder, hidden from the agent. */
  readonly folder: string
  readonly cwd: string
  /** The server's folders below the working directory. */
  readonly hidden: readonly string[]
}

const Notes = z.array(z.object({ messageId: UserMessageId, manifest: z.string().nullable() }))
type Notes = z.infer<typeof Notes>

/** Stored instead of a manifest name if the manifest was not taken in time. Not a valid name. */
const unknown = 'unknown'

const maxCheckpoints = 50
const maxBytes = 16 * 1024 * 1024
const readOnly = new Set(['Read', 'Glob', 'Grep', 'LS', 'WebFetch', 'WebSearch', 'TodoWrite', 'Agent', questionTool])

export function createCheckpointNotes({ folder, cwd, hidden }: CheckpointFolders) {
  // Steps run one at a time: each reads what the previous one wrote.
  const runInOrder = createSerialQueue()
  // Counts messages as they are announced, written and scanned, because a call may overtake queued writes.
  const count = { noted: 0, written: 0, scanned: -1 }
  // Messages whose manifest could not be taken before a call that may have changed files.
  const lost = new Set<UserMessageId>()

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
      // The call runs anyway. A later manifest would show its changes as if they had been there before.
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
    /**
     * Records a message that is about to be sent. The manifest is taken later, before the first call that may change
     * files.
     */
    async note(messageId: UserMessageId) {
      count.noted += 1
      const number = count.noted
      // If the write fails, the message is unknown, which callers handle.
      await runInOrder(() => add(messageId).finally(() => (count.written = number))).catch(() => undefined)
    },
    /** Resolves when the manifest is saved and the call may run. Never rejects. */
    async before({ toolName }: Pick<ToolCall, 'toolName'>) {
      if (readOnly.has(toolName)) return
      await runInOrder(count.scanned < count.noted ? scan : async () => undefined).catch(() => undefined)
    },
    /** The known messages before and after this one; both empty if it is unknown. */
    around: (
      messageId: UserMessageId,
    ): Promise<{ readonly earlier: readonly UserMessageId[]; readonly later: readonly UserMessageId[] }> =>
      runInOrder(async () => {
        const ids = (await readNotes(folder)).map((note) => note.messageId)
        const index = ids.indexOf(messageId)
        return { earlier: ids.slice(0, Math.max(0, index)), later: index < 0 ? [] : ids.slice(index + 1) }
      }),
    /** The folder before a message: `unchanged` since then, or `null` if unknown. */
    find: (messageId: UserMessageId): Promise<FolderManifest | 'unchanged' | null> =>
      runInOrder(async () => {
        const notes = await known()
        const index = notes.findIndex((note) => note.messageId === messageId)
        if (index < 0) return null
        const name = notes.slice(index).find(({ manifest }) => manifest !== null)?.manifest
        return typeof name === 'string' ? readManifest(folder, name) : 'unchanged'
      }),
  }
}

/** Copies the notes of a session to its branch. */
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

/** Replaces an existing file by renaming, and never writes through a link. */
async function write(folder: string, name: string, text: string): Promise<void> {
  const target = makeFolderNoFollow(folder, ['checkpoints'])
  if (target === null)
    throw new Error(`cannot create the folder ${checkpointFolder(folder)}: a file or a link is in the way`)
  const fresh = join(target, `${name}.new`)
  rmSync(fresh, { recursive: true, force: true })
  await writeNewFile(fresh, text)
  await rename(fresh, join(target, name))
}

/** A crash may have truncated the file. */
const parse = (content: Buffer | null): unknown => (content === null ? null : parseJson(content.toString('utf8')))
