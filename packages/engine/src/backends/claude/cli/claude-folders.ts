// Where the CLI lives on disk: a home and a configuration per session, kept so that its transcript can be resumed and
// seen by no other session.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ClaudeFolders {
  /** Out of the agent's sight but for the two below. */
  readonly root: string
  readonly home: string
  readonly config: string
}

/**
 * The CLI's default of 30 days would delete transcripts of resting sessions; what is kept is our decision. Hooks and
 * helpers of settings files would run programs that no rule of the agent file sees: its own hooks do not come that way.
 */
export const cliSettings = {
  cleanupPeriodDays: 36500,
  disableAllHooks: true,
  apiKeyHelper: '',
  awsAuthRefresh: '',
  awsCredentialExport: '',
  gcpAuthRefresh: '',
  otelHeadersHelper: '',
}

const folderMode = { recursive: true, mode: 0o700 } as const

export const claudeFolders = (root: string): ClaudeFolders => ({
  root,
  home: join(root, 'home'),
  config: join(root, 'config'),
})

export function prepareFolders({ home, config }: ClaudeFolders): void {
  for (const folder of [home, config]) mkdirSync(folder, folderMode)
  // Notes of processes that were killed; one session has one process at a time.
  rmSync(join(config, 'sessions'), { recursive: true, force: true })
  // The agent can write here: a link it left behind must not lead the server to another file.
  const settings = join(config, 'settings.json')
  rmSync(settings, { recursive: true, force: true })
  writeFileSync(settings, `${JSON.stringify(cliSettings)}\n`, { flag: 'wx' })
}
