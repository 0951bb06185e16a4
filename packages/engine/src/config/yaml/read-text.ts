import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

export type TextRead =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly reason: string }

/** Reads a whole text file, or returns a reason that fits after a colon. Never throws, never blocks on a pipe. */
export async function readText(path: string, maxBytes: number): Promise<TextRead> {
  let bytes: Buffer
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) return unreadable(stats.isDirectory() ? 'it is a folder' : 'it is not a file')
      if (stats.size > maxBytes) return unreadable(`it is larger than ${formatSize(maxBytes)}`)
      bytes = await handle.readFile()
    } finally {
      await handle.close()
    }
  } catch (error) {
    return reasonOf(error)
  }
  if (bytes.length > maxBytes) return unreadable(`it is larger than ${formatSize(maxBytes)}`)
  try {
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    // TextDecoder's message names neither the file nor the encoding.
    return unreadable('it is not UTF-8 text')
  }
}

const unreadable = (reason: string): TextRead => ({ type: 'unreadable', reason })

const formatSize = (bytes: number): string => (bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1024} KiB`)

function reasonOf(error: unknown): TextRead {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'absent' }
  if (code === 'EACCES' || code === 'EPERM') return unreadable('permission denied')
  if (code === 'EISDIR') return unreadable('it is a folder')
  if (code === 'ERR_INVALID_ARG_VALUE') return unreadable('a file cannot have this name')
  if (code === 'ENAMETOOLONG') return unreadable('its name is too long')
  if (code === 'ELOOP') return unreadable('it is a link to itself')
  return unreadable(typeof code === 'string' ? code : 'it cannot be opened')
}
