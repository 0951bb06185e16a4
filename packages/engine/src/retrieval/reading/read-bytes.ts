import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'

/** A file is held in memory whole. */
export const largestFile = 64 * 1024 * 1024
export const tooLarge = 'larger than 64 MB: part it'

/**
 * The bytes of the file at this path without a link in it, and of no other: what was looked at before may have become a
 * link meanwhile, itself or a folder above it. Throws with what is wrong with it.
 */
export async function readBytes(file: string): Promise<Uint8Array> {
  // Not blocking: a pipe in its place would never be opened.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const opened = await handle.stat()
    if (!opened.isFile() || !(await isAt(handle, file))) throw new Error('has become another file: try again')
    if (opened.size > largestFile) throw new Error(`is ${tooLarge}`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

async function isAt(handle: FileHandle, file: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/self/fd/${handle.fd}`)) === file
  } catch {
    // No Linux: the path has no link in it now, and what it names is what was opened.
    const [real, named, opened] = [await realpath(file), await stat(file), await handle.stat()]
    return real === file && named.ino === opened.ino && named.dev === opened.dev
  }
}
