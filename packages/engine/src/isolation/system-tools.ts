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

/** Fixed folders: what shuts an agent in is not looked up where an agent could put it. */
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
