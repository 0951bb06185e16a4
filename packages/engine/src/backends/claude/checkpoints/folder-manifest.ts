// A snapshot of a working directory: each file with its size and time. It is cheap enough to take before an agent
// changes anything, and sufficient to detect changes made by commands.
import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import type { FileRewind } from '../../backend.ts'

export const FolderManifest = z.object({
  cwd: z.string(),
  /** Relative path → fingerprint. */
  files: z.record(z.string(), z.string()),
  /** Folders that are not scanned, with a fingerprint that shows changes. */
  skipped: z.record(z.string(), z.string()),
  /** Too many files to list; `files` is empty. */
  isTooLarge: z.boolean(),
})
export type FolderManifest = z.infer<typeof FolderManifest>

export const maxFiles = 5_000
const parallelLookups = 16

/** A fingerprint that shows a change of a folder without scanning it. */
const skippedFolders: Readonly<Record<string, string>> = { '.git': join('logs', 'HEAD'), node_modules: '.' }

/** `hidden` lists the server's folders below the working directory. */
export async function takeManifest(cwd: string, hidden: readonly string[]): Promise<FolderManifest> {
  const files: Record<string, string> = {}
  let count = 0
  const folders = [cwd]
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = (await list(folder)).filter((entry) => !isSkipped(entry, folder ?? '', hidden))
    folders.push(...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name)))
    const found = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
    count += found.length
    if (count + folders.length > maxFiles)
      return { cwd, files: {}, skipped: await fingerprintSkipped(cwd), isTooLarge: true }
    for (let start = 0; start < found.length; start += parallelLookups) {
      const some = found.slice(start, start + parallelLookups)
      const prints = await Promise.all(some.map(fingerprint))
      for (const [index, print] of prints.entries()) if (print !== null) files[relative(cwd, some[index] ?? '')] = print
    }
  }
  return { cwd, files, skipped: await fingerprintSkipped(cwd), isTooLarge: false }
}

const isSkipped = (entry: Dirent, folder: string, hidden: readonly string[]): boolean =>
  entry.isDirectory() && (entry.name in skippedFolders || hidden.includes(join(folder, entry.name)))

async function list(folder: string): Promise<readonly Dirent[]> {
  // Removed in the meantime, or not readable: the agent's commands could not have changed it either.
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}

/** Never follows a link. */
async function fingerprint(path: string): Promise<string | null> {
  const stat = await lstat(path).catch(() => null)
  return stat === null ? null : `${stat.size} ${stat.mtimeMs}`
}

async function fingerprintSkipped(cwd: string): Promise<Record<string, string>> {
  const fingerprints = await Promise.all(
    Object.entries(skippedFolders).map(async ([name, inside]) => [name, await fingerprint(join(cwd, name, inside))]),
  )
  return Object.fromEntries(fingerprints.filter(([, print]) => print !== null))
}

type NotRestored = FileRewind['notRestored'][number]

/** Changes since a manifest that no checkpoint covers, each with a reason to show to users. */
export function changedFiles(
  before: FolderManifest,
  now: FolderManifest,
  known: {
    /** Paths with a checkpoint of the CLI, which restores them whatever changed them. */
    readonly checkpointed: ReadonlySet<string>
    readonly isTracked: (path: string) => boolean
  },
): readonly NotRestored[] {
  // Copying a folder changes file times.
  const isSame = (then: string, later: string) =>
    before.cwd === now.cwd ? then === later : then.split(' ')[0] === later.split(' ')[0]
  const reasonOf = (path: string): string =>
    known.isTracked(path)
      ? 'changed by a command; git has an older version'
      : 'changed by a command, which checkpoints do not cover'

  const changed = before.isTooLarge || now.isTooLarge ? [] : different(before.files, now.files, isSame)
  const folders = before.cwd === now.cwd ? different(before.skipped, now.skipped, isSame) : []
  return [
    ...(before.isTooLarge || now.isTooLarge ? [tooLarge] : []),
    ...changed.filter((path) => !known.checkpointed.has(path)).map((path) => ({ path, reason: reasonOf(path) })),
    ...folders.map((path) => ({ path, reason: 'changed by a command; the files in this folder are not tracked' })),
  ]
}

export const unknownChanges: NotRestored = {
  path: '.',
  reason: 'too long ago: the changes made by commands since then are not known',
}

const tooLarge: NotRestored = {
  path: '.',
  reason: `more than ${maxFiles} files: the changes made by commands are not known`,
}

function different(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  isSame: (then: string, later: string) => boolean,
): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...paths]
    .filter((path) => {
      const [then, later] = [before[path], now[path]]
      return then === undefined || later === undefined || !isSame(then, later)
    })
    .sort()
}
