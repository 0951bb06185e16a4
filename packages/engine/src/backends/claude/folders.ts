// Where the CLI lives on disk: a home and a configuration shared by the sessions of one data folder, so that transcripts
// can be resumed, and a scratch folder per process: the CLI opens a socket there that no other session should find.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ClaudeFolders {
  readonly home: string
  readonly config: string
  readonly scratch: string
}

/** The CLI's default of 30 days would delete transcripts of resting sessions; what is kept is our decision. */
export const cliSettings = { cleanupPeriodDays: 36500 }

export function claudeFolders(dataDir: string): ClaudeFolders {
  const root = join(dataDir, 'claude')
  return { home: join(root, 'home'), config: join(root, 'config'), scratch: join(root, 'scratch') }
}

export function prepareFolders(folders: ClaudeFolders): void {
  for (const folder of [folders.home, folders.config, folders.scratch]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
  writeFileSync(join(folders.config, 'settings.json'), `${JSON.stringify(cliSettings)}\n`)
}

/** Short: a socket's path may have no more than a hundred characters. */
export function makeScratchFolder({ scratch }: ClaudeFolders, marker: string): string {
  const folder = join(scratch, marker.slice(0, 8))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
