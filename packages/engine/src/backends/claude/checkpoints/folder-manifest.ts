// A snapshot of a working directory: each file with its size and time. It is cheap enough to take before an agent
// changes anything, and sufficient to detect changes made by commands.
import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'

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
