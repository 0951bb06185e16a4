// The folders of the CLI: a home and a configuration folder per session. They are kept so that the transcript can be
// resumed, and no other session can read them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ClaudeFolders {
  /** Hidden from the agent, except for the two below. */
  readonly root: string
  readonly home: string
  readonly config: string
}

/**
 * The CLI would by default delete transcripts after 30 days; the engine decides about retention. Hooks and helpers of
 * settings files would run programs that no rule of the agent file covers. Hooks of the agent file do not use this
 * path.
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
  // Left by processes that were killed. A session has one process at a time.
  rmSync(join(config, 'sessions'), { recursive: true, force: true })
  // The agent can write here: a link that it created must not redirect the server to another file.
  const settings = join(config, 'settings.json')
  rmSync(settings, { recursive: true, force: true })
  writeFileSync(settings, `${JSON.stringify(cliSettings)}\n`, { flag: 'wx' })
}
