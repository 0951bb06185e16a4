// One folder for all files of a test run, removed at the end.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The tests run in other processes and find the folder in their environment. */
export const folderVariable = 'QUARTERDECK_E2E_FOLDER'

export async function setup(): Promise<void> {
  process.env[folderVariable] = await mkdtemp(join(tmpdir(), 'quarterdeck-e2e-'))
}

export async function teardown(): Promise<void> {
  const folder = process.env[folderVariable]
  // A process that was just killed may still close its files.
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}
