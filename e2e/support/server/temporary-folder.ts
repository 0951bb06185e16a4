// One folder for everything a run of these tests leaves on disk, removed when it is over.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The tests run in other processes: they find the folder in their environment. */
export const folderVariable = 'QUARTERDECK_E2E_FOLDER'

export async function setup(): Promise<void> {
  process.env[folderVariable] = await mkdtemp(join(tmpdir(), 'quarterdeck-e2e-'))
}

export async function teardown(): Promise<void> {
  const folder = process.env[folderVariable]
  // A process that was killed a moment ago may still close its files.
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}
