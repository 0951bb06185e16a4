import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Logger } from '../ports/logger.ts'

/**
 * Deletes the database that the same tool used with earlier settings. Another process that still has it open can
 * continue to search it.
 */
export function removeSuperseded(
  file: string,
  { isInUse, logger }: { readonly isInUse: (file: string) => boolean; readonly logger: Logger },
): void {
  const folder = dirname(file)
  const prefix = basename(file).replace(/-[0-9a-f]{12}\.db$/, '')
  const others = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^(-[0-9a-f]{12})?\.db$/.test(name.slice(prefix.length)))
    .map((name) => join(folder, name))
    .filter((path) => path !== file && !isInUse(path))
  for (const path of others) {
    try {
      for (const part of ['', '-wal', '-shm']) rmSync(`${path}${part}`, { force: true })
    } catch (error) {
      logger.warn({ path, error: String(error) }, 'could not remove the passages of earlier settings')
    }
  }
}
