// Restores files to their state before a message and reports the files that could not be restored.
import type { UUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { relative } from 'node:path'
import { messageOf, QuarterdeckError, sleep, type UserMessageId } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { FileRewind } from '../../backend.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import { messageUuids } from '../cli/message-uuid.ts'
import type { CheckpointNotes } from './checkpoint-notes.ts'
import { changedFiles, takeManifest, unknownChanges } from './folder-manifest.ts'
import { trackedFiles } from './git-index.ts'

type RewindingProcess = Pick<ClaudeProcess, 'rewindFiles'>

export interface RewindOrder {
  readonly process: RewindingProcess
  readonly messageId: UserMessageId
  readonly dryRun: boolean
}

export interface RewindFilesOptions extends RewindOrder {
  readonly notes: CheckpointNotes
  readonly cwd: string
  readonly hidden: readonly string[]
  /** Paths with a checkpoint of the CLI, relative to the working directory. */
  readonly checkpointed: () => Promise<ReadonlySet<string>>
}

const Answer = z.looseObject({
  canRewind: z.boolean(),
  error: z.string().optional(),
  filesChanged: z.array(z.string()).default([]),
})

/** Throws `rewind.unavailable`. */
export async function rewindFiles(rewind: RewindFilesOptions): Promise<FileRewind> {
  const { cwd } = rewind
  const found = await preview(rewind)
  const paths = found.files.map((file) => relative(cwd, file))
  if (found.uuid === null) return { restored: paths, notRestored: await untouched(rewind, paths) }
  const blocked = rewind.dryRun ? await displaced(found.files) : await restore(rewind, found.uuid)
  const left = blocked.map((file) => relative(cwd, file))
  const restored = paths.filter((path) => !left.includes(path))
  const failed = left.map((path) => ({ path, reason: 'it could not be written: a link or a folder has the same path' }))
  return { restored, notRestored: [...failed, ...(await untouched(rewind, paths))] }
}

/** Paths that are now a link or a folder: the CLI writes through neither, and reports it only afterwards. */
async function displaced(files: readonly string[]): Promise<readonly string[]> {
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => null)))
  return files.filter((_, index) => stats[index]?.isFile() === false)
}

/** Returns the files that could not be restored. */
async function restore({ process, messageId }: RewindFilesOptions, uuid: UUID): Promise<readonly string[]> {
  try {
    await ask(process, uuid, false)
    return (await ask(process, uuid, true)).filesChanged
  } catch (error) {
    throw unavailable(messageId, `${messageOf(error)}. Some files may have been restored and others not`)
  }
}

/** The checkpoint to restore. `uuid` is null if nothing was written since, so there is nothing to restore. */
interface Preview {
  readonly uuid: UUID | null
  readonly files: readonly string[]
}

/** The CLI makes a checkpoint alongside the first request of a turn, possibly after a very short turn (measured). */
const lateMs = 1_000

async function preview(rewind: RewindFilesOptions): Promise<Preview> {
  const { process, messageId } = rewind
  const found = await previewOf(process, messageId)
  if (found !== null) return found
  const { earlier, later } = await rewind.notes.around(messageId)
  if (later.length > 0 || earlier.length > 0) await sleep(lateMs)
  // A turn that wrote no file may have no checkpoint: the next checkpoint has the same state.
  for (const next of [messageId, ...later]) {
    const checkpoint = await previewOf(process, next)
    if (checkpoint !== null) return checkpoint
  }
  for (const before of earlier.toReversed()) {
    if ((await previewOf(process, before)) !== null) return { uuid: null, files: [] }
  }
  throw unavailable(messageId, 'there is no checkpoint for this message')
}

/** The message may have been delivered more than once. The first delivery is the one to restore. */
async function previewOf(process: RewindingProcess, messageId: UserMessageId): Promise<Preview | null> {
  for (const uuid of messageUuids(messageId)) {
    try {
      return { uuid, files: (await ask(process, uuid, true)).filesChanged }
    } catch (error) {
      const why = messageOf(error)
      if (!why.includes('No file checkpoint')) throw unavailable(messageId, why)
    }
  }
  return null
}

const unavailable = (messageId: UserMessageId, why: string) =>
  new QuarterdeckError('rewind.unavailable', `cannot restore the files to before ${messageId}: ${why}`)

async function ask(process: RewindingProcess, uuid: UUID, dryRun: boolean): Promise<z.infer<typeof Answer>> {
  const answer = Answer.safeParse(await process.rewindFiles(uuid, { dryRun }))
  if (!answer.success) throw new Error('the agent process does not respond')
  if (!answer.data.canRewind) throw new Error(answer.data.error ?? 'the agent process refused')
  return answer.data
}

async function untouched(rewind: RewindFilesOptions, restored: readonly string[]): Promise<FileRewind['notRestored']> {
  const { notes, messageId, cwd, hidden } = rewind
  const before = await notes.find(messageId)
  if (before === 'unchanged') return []
  if (before === null) return [unknownChanges]
  const [now, checkpointed, tracked] = await Promise.all([
    takeManifest(cwd, hidden),
    rewind.checkpointed(),
    trackedFiles(cwd),
  ])
  const covered = new Set([...restored, ...checkpointed])
  return changedFiles(before, now, { checkpointed: covered, isTracked: (path) => tracked.has(path) })
}
