// Paths with their links resolved.
import { existsSync, realpathSync } from 'node:fs'
import { QuarterdeckError } from '@quarterdeck/protocol'

/** Mounts apply to the target of a link. A path that does not exist is returned unchanged. */
export const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/**
 * Agents that work in a folder above can replace this one by a link. It would make the target of the link writable, such
 * as the data folder.
 */
export function requireNoLink(folder: string): string {
  const target = realPath(folder)
  if (target === folder) return folder
  const detail = `${folder} now leads to ${target}: it, or a folder above it, was replaced by a link. Put the folder back, then send the message again.`
  throw new QuarterdeckError('config.invalid', detail)
}
