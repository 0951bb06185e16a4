// The temporary folder of one process, removed when the process ends.
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolders } from '../system/data-folders.ts'

/** Holds the scratch folders of all processes. */
export const scratchFolders = (dataDir: string): string => join(dataFolders(dataDir).claude, 'scratch')

/** Short: the path of a socket in it may have about a hundred characters. */
export const scratchName = (marker: string): string => marker.slice(0, 8)

export function makeScratchFolder(dataDir: string, marker: string): string {
  const folder = join(scratchFolders(dataDir), scratchName(marker))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Never rejects: a folder that cannot be removed now is removed at the next start. */
export const removeScratchFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
