import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents, one at a time: with `recursive`, Node retries forever where the system cannot create
 * any, as in /proc.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  if (await isFolder(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode)
  await mkdir(folder, { mode }).catch(async (error: unknown) => {
    // Another process may have created it first.
    if (!(await isFolder(folder))) throw error
  })
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isDirectory() === true
