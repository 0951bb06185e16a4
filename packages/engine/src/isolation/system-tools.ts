import { existsSync } from 'node:fs'
import { join } from 'node:path'

export type SystemTools = Readonly<ReturnType<typeof findSystemTools>>

/** Fixed folders: the programs of the sandbox must not come from a folder that an agent can write to. */
const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export function findSystemTools() {
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
