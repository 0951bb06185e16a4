// Where the CLI lives on disk: a home and a configuration per session, kept so that its transcript can be resumed and
// seen by no other session, and a scratch folder per process: the CLI opens a socket there.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'

export interface ClaudeFolders {
  readonly home: string
  readonly config: string
}

/** The CLI's default of 30 days would delete transcripts of resting sessions; what is kept is our decision. */
export const cliSettings = { cleanupPeriodDays: 36500 }

const folderMode = { recursive: true, mode: 0o700 } as const
const scratchOf = (dataDir: string) => join(dataDir, 'claude', 'scratch')

/** What every session needs: proves that the data folder can be written. */
export function prepareDataFolder(dataDir: string): void {
  mkdirSync(scratchOf(dataDir), folderMode)
}

export function makeSessionFolders(dataDir: string, sessionId: SessionId): ClaudeFolders {
  const root = join(dataDir, 'claude', sessionId)
  const folders = { home: join(root, 'home'), config: join(root, 'config') }
  for (const folder of [folders.home, folders.config]) mkdirSync(folder, folderMode)
  // The agent can write here: a link it left behind must not lead the server to another file.
  const settings = join(folders.config, 'settings.json')
  rmSync(settings, { recursive: true, force: true })
  writeFileSync(settings, `${JSON.stringify(cliSettings)}\n`, { flag: 'wx' })
  return folders
}

/** Beside the sessions and short: a socket's path may have no more than a hundred characters. */
export function makeScratchFolder(dataDir: string, marker: string): string {
  const folder = join(scratchOf(dataDir), marker.slice(0, 8))
  mkdirSync(folder, folderMode)
  return folder
}
