// Brings files back to before a message, and tells what could not be brought back.
import type { UUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { QuarterdeckError, type UserMessageId } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { FileRewind } from '../../backend.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import { messageUuids } from '../cli/message-uuid.ts'
import { changedFiles, unknownChanges } from './changed-files.ts'
import type { CheckpointNotes } from './checkpoint-notes.ts'
import { takeManifest } from './folder-manifest.ts'
import { trackedFiles } from './git-index.ts'

type RewindingProcess = Pick<ClaudeProcess, 'rewindFiles'>

export interface Rewind {
  readonly process: RewindingProcess
  readonly messageId: UserMessageId
  readonly dryRun: boolean
  readonly notes: CheckpointNotes
  readonly cwd: string
  readonly hidden: readonly string[]
  /** Paths whose states the CLI keeps, relative to the working directory. */
  readonly checkpointed: () => Promise<ReadonlySet<string>>
}

const Answer = z.looseObject({
  canRewind: z.boolean(),
  error: z.string().optional(),
  filesChanged: z.array(z.string()).default([]),
})

/** Throws `rewind.unavailable`. */
export async function rewindFiles(rewind: Rewind): Promise<FileRewind> {
  const { cwd } = rewind
  const found = await preview(rewind)
  const paths = found.files.map((file) => relative(cwd, file))
  if (found.uuid === null) return { restored: paths, notRestored: await untouched(rewind, paths) }
  const blocked = rewind.dryRun ? await displaced(found.files) : await restore(rewind, found.uuid)
  const left = blocked.map((file) => relative(cwd, file))
  const restored = paths.filter((path) => !left.includes(path))
  const failed = left.map((path) => ({ path, reason: 'it could not be written: something stands in its place' }))
  return { restored, notRestored: [...failed, ...(await untouched(rewind, paths))] }
}

/** Where a link or a folder stands now: the CLI writes through neither, and says so only afterwards. */
async function displaced(files: readonly string[]): Promise<readonly string[]> {
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => null)))
  return files.filter((_, index) => stats[index]?.isFile() === false)
}

/** What could not be brought back. */
async function restore({ process, messageId }: Rewind, uuid: UUID): Promise<readonly string[]> {
  try {
    await ask(process, uuid, false)
    return (await ask(process, uuid, true)).filesChanged
  } catch (error) {
    throw unavailable(messageId, `${messageOf(error)}. Some files may have been restored and others not`)
  }
}

/** The checkpoint to go back to; without an id there is none because nothing was written since. */
interface Preview {
  readonly uuid: UUID | null
  readonly files: readonly string[]
}

/** The CLI makes a checkpoint beside the first request of a turn, and may be later than a very short turn (measured). */
const lateMs = 1_000

async function preview(rewind: Rewind): Promise<Preview> {
  const { process, messageId } = rewind
  const found = await previewOf(process, messageId)
  if (found !== null) return found
  const { earlier, later } = await rewind.notes.around(messageId)
  if (later.length > 0 || earlier.length > 0) await sleep(lateMs)
  // A turn that wrote no file may have no checkpoint: the next one's is the same.
  for (const next of [messageId, ...later]) {
    const checkpoint = await previewOf(process, next)
    if (checkpoint !== null) return checkpoint
  }
  for (const before of earlier.toReversed()) {
    if ((await previewOf(process, before)) !== null) return { uuid: null, files: [] }
  }
  throw unavailable(messageId, 'there is no checkpoint of this message')
}

/** The message may have been delivered more than once; the first time is the one to go back to. */
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unavailable = (messageId: UserMessageId, why: string) =>
  new QuarterdeckError('rewind.unavailable', `files cannot be brought back to before ${messageId}: ${why}`)

async function ask(process: RewindingProcess, uuid: UUID, dryRun: boolean): Promise<z.infer<typeof Answer>> {
  const answer = Answer.safeParse(await process.rewindFiles(uuid, { dryRun }))
  if (!answer.success) throw new Error('the agent’s process does not answer')
  if (!answer.data.canRewind) throw new Error(answer.data.error ?? 'the agent’s process refuses')
  return answer.data
}

async function untouched(rewind: Rewind, restored: readonly string[]): Promise<FileRewind['notRestored']> {
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
