// Files below a folder that an agent can write to. Nothing is reached through a link, and only plain files are read: it
// may have put a link, a pipe or a device where a file is expected.
import { constants, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the parts lead from the root, through folders only; `null` when something else stands in the way. */
export function folderNoFollow(root: string, parts: readonly string[]): string | null {
  let path = root
  if (!isFolder(path)) return null
  for (const part of parts) {
    path = join(path, part)
    if (!isFolder(path)) return null
  }
  return path
}

/** As `folderNoFollow`, making what is missing. */
export function makeFolderNoFollow(root: string, parts: readonly string[]): string | null {
  let path = root
  for (const part of ['', ...parts]) {
    path = join(path, part)
    if (!isThere(path)) mkdirSync(path, { mode: 0o700 })
    if (!isFolder(path)) return null
  }
  return path
}

export function listNoFollow(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() || entry.isFile() ? [{ name: entry.name, isFolder: entry.isDirectory() }] : [],
    )
  } catch {
    // Not there: nothing is in it.
    return []
  }
}

/** `null` when it is not there, no plain file, or larger than allowed. The caller closes it. */
export async function openFileNoFollow(path: string, maxBytes: number): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => null)
  if (file === null) return null
  const stat = await file.stat()
  if (stat.isFile() && stat.size <= maxBytes) return file
  await file.close()
  return null
}

export async function readFileNoFollow(path: string, maxBytes: number): Promise<Buffer | null> {
  const file = await openFileNoFollow(path, maxBytes)
  if (file === null) return null
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** A new file: never over one that is there, and so never through a link. */
export const writeNewFile = (path: string, content: string | Buffer): Promise<void> =>
  writeFile(path, content, { flag: 'wx', mode: 0o600 })

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** A link that leads nowhere is there too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
