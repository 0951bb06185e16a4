import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'

/** A file is held in memory as a whole. */
export const largestFile = 64 * 1024 * 1024
export const tooLarge = 'larger than 64 MB: split it'

/**
 * Reads the file at this path, which contains no link. Since it was checked, the file or a folder above it may have
 * been replaced by a link, which is refused. Throws with a message.
 */
export async function readBytes(file: string): Promise<Uint8Array> {
  // Non-blocking: opening a pipe in its place would wait forever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const opened = await handle.stat()
    if (!opened.isFile() || !(await isAt(handle, file))) throw new Error('has been replaced by another file: try again')
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
    // Not Linux: checks that the path has no link now and that it names the opened file.
    const [real, named, opened] = [await realpath(file), await stat(file), await handle.stat()]
    return real === file && named.ino === opened.ino && named.dev === opened.dev
  }
}
