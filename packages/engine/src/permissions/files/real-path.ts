import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

const maxLinks = 40

/**
 * Resolves every link of a path, even if its last parts do not exist yet (a dangling link leads to where it would be
 * created). `null` if that is impossible: a loop, or a folder that cannot be read.
 */
export async function realPathOf(path: string, links = 0): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isMissing(error) || links >= maxLinks) return null
  }
  const target = await linkTarget(path)
  if (target !== null) return realPathOf(resolve(dirname(path), target), links + 1)
  const parent = dirname(path)
  if (parent === path) return path
  const realParent = await realPathOf(parent, links)
  return realParent === null ? null : join(realParent, basename(path))
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null
  } catch {
    return null // does not exist: try the parent
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
