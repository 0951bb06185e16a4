// Global setup of vitest: all files that tests create are in one folder, which is removed afterwards.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-tests-'))
  // Some tests run an agent as an ordinary user, who needs access.
  await chmod(folder, 0o755)
  const before = process.env.TMPDIR ?? '/tmp'
  process.env.TMPDIR = folder
  return async () => {
    process.env.TMPDIR = before
    // A process that was just killed may still close its files.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
