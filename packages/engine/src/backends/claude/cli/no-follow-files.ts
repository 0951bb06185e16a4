// File access below a folder that an agent can write to. No link is followed and only regular files are read: the agent
// may have put a link, a pipe or a device in place of a file.
import { constants, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The path of `parts` below the root if every part is a folder, otherwise `null`. */
export function folderNoFollow(root: string, parts: readonly string[]): string | null {
  let path = root
  if (!isFolder(path)) return null
  for (const part of parts) {
    path = join(path, part)
    if (!isFolder(path)) return null
  }
  return path
}

/** Like `folderNoFollow`, but creates missing folders. */
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
    // The folder does not exist.
    return []
  }
}

/** `null` if the file does not exist, is not a regular file, or is too large. The caller closes the handle. */
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

/** Creates a new file. Fails if the path exists, so it never writes through a link. */
export const writeNewFile = (path: string, content: string | Buffer): Promise<void> =>
  writeFile(path, content, { flag: 'wx', mode: 0o600 })

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** A dangling link exists too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
