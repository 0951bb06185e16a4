// Compares paths as texts: links are not resolved, so callers resolve them first where they matter.
import { isAbsolute, relative, sep } from 'node:path'

export interface PathInFolder {
  readonly path: string
  readonly folder: string
}

/** False for the folder itself. */
export function isBelow({ path, folder }: PathInFolder): boolean {
  return relative(folder, path) !== '' && isWithin({ path, folder })
}

/** True for the folder itself. */
export function isWithin({ path, folder }: PathInFolder): boolean {
  const relativePath = relative(folder, path)
  // A name may begin with two dots: only a whole `..` part leads up.
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}
