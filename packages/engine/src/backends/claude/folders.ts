// Where the CLI lives on disk: its own home, configuration and scratch folder, shared by the sessions of one data
// folder so that transcripts can be resumed.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ClaudeFolders {
  readonly root: string
  readonly home: string
  readonly config: string
  readonly temporary: string
}

/** The CLI's default of 30 days would delete transcripts of resting sessions; what is kept is our decision. */
export const cliSettings = { cleanupPeriodDays: 36500 }

export function claudeFolders(dataDir: string): ClaudeFolders {
  const root = join(dataDir, 'claude')
  return { root, home: join(root, 'home'), config: join(root, 'config'), temporary: join(root, 'tmp') }
}

export function prepareFolders(folders: ClaudeFolders): void {
  for (const folder of [folders.home, folders.config, folders.temporary]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
  writeFileSync(join(folders.config, 'settings.json'), `${JSON.stringify(cliSettings)}\n`)
}
