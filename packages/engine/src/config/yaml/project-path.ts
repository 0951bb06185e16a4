import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isWithin } from '../../system/path-inside.ts'

/**
 * The folder that paths of a file may not leave: the nearest git work tree at or above it, else its own folder. The
 * home folder and the root of the disk are never a project.
 */
export async function projectFolderOf(file: string, homeDir: string): Promise<string> {
  const own = dirname(file)
  for (let folder = own; dirname(folder) !== folder && folder !== homeDir; folder = dirname(folder)) {
    if (await exists(join(folder, '.git'))) return folder
  }
  return own
}

/** The target of a path written in `from`, with links resolved as far as the path exists. */
export async function resolvePath(written: string, from: string): Promise<string> {
  return realPathOf(resolve(dirname(from), written))
}

/** True for the folder itself. Links are resolved. */
export async function isInsideProject(path: string, folder: string): Promise<boolean> {
  return isWithin({ path: await realPathOf(path), folder: await realPathOf(folder) })
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    // It does not exist, but a parent may be a link to another folder.
    const parent = dirname(path)
    return parent === path ? path : join(await realPathOf(parent), relative(parent, path))
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
