import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface SystemTools {
  readonly setpriv: string | null
  readonly unshare: string | null
  readonly mount: string | null
  readonly mkdir: string | null
  readonly ln: string | null
  readonly stat: string | null
  readonly shell: string | null
}

/** Fixed folders: the programs of the sandbox must not come from a folder that an agent can write to. */
const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export function findSystemTools(): SystemTools {
  const find = (name: string) =>
    systemFolders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null
  return {
    setpriv: find('setpriv'),
    unshare: find('unshare'),
    mount: find('mount'),
    mkdir: find('mkdir'),
    ln: find('ln'),
    stat: find('stat'),
    shell: find('sh'),
  }
}
