// Where the CLI lives on disk: a home and a configuration per session, kept so that its transcript can be resumed and
// seen by no other session, and a scratch folder per process: the CLI opens a socket there.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolders } from '../../data-folders.ts'

export interface ClaudeFolders {
  /** Out of the agent's sight but for the two below. */
  readonly root: string
  readonly home: string
  readonly config: string
  /** Holds the scratch folders of the processes. */
  readonly scratch: string
}

/**
 * The CLI's default of 30 days would delete transcripts of resting sessions; what is kept is our decision. Hooks and
 * helpers of settings files would run programs that no rule of the agent file sees: its own hooks do not come that way.
 */
export const cliSettings = {
  cleanupPeriodDays: 36500,
  disableAllHooks: true,
  ...{ apiKeyHelper: '', awsAuthRefresh: '', awsCredentialExport: '', gcpAuthRefresh: '', otelHeadersHelper: '' },
}

const folderMode = { recursive: true, mode: 0o700 } as const

/** Scratch folders lie elsewhere: a socket's path may have no more than a hundred characters. */
export function claudeFolders(root: string, scratch: string): ClaudeFolders {
  return { root, home: join(root, 'home'), config: join(root, 'config'), scratch }
}

export function prepareFolders({ home, config, scratch }: ClaudeFolders): void {
  for (const folder of [home, config, scratch]) mkdirSync(folder, folderMode)
  // Notes of processes that were killed; one session has one process at a time.
  rmSync(join(config, 'sessions'), { recursive: true, force: true })
  // The agent can write here: a link it left behind must not lead the server to another file.
  const settings = join(config, 'settings.json')
  rmSync(settings, { recursive: true, force: true })
  writeFileSync(settings, `${JSON.stringify(cliSettings)}\n`, { flag: 'wx' })
}

/** Where the scratch folders of all sessions lie. */
export const scratchFolders = (dataDir: string): string => join(dataFolders(dataDir).claude, 'scratch')

/** Short: see above. */
export const scratchName = (marker: string): string => marker.slice(0, 8)

export function makeScratchFolder({ scratch }: ClaudeFolders, marker: string): string {
  const folder = join(scratch, scratchName(marker))
  mkdirSync(folder, folderMode)
  return folder
}
