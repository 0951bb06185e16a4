// Folders that no agent may write to, whatever its file says.
import { homedir, userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { isBelow, isWithin } from '../system/path-inside.ts'
import { installation } from './installation.ts'
import { realPath } from './real-path.ts'

/** Refused with everything inside them. */
const systemFolders = [
  'bin',
  'boot',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'proc',
  'run',
  'sbin',
  'sys',
  'usr',
]
/** Refused themselves; folders inside them are allowed. */
const sharedFolders = ['', 'home', 'mnt', 'media', 'opt', 'root', 'srv', 'var', 'var/cache', 'var/lib']
/** Refused with everything inside them, although they are inside a shared folder. */
const machineFolders = ['var/spool', 'var/log', 'var/run', 'var/lib/dpkg', 'var/lib/systemd']

export interface ProtectedFolders {
  readonly dataDir: string
  /** Folders and files that decide what agents may do. */
  readonly locked: readonly string[]
}

/** Why an agent file may not name this folder as writable, or `null` if it may. */
export function refuseWritable(folder: string, { dataDir, locked }: ProtectedFolders): string | null {
  const path = realPath(folder)
  const data = realPath(dataDir)
  const own = locked.map(realPath).find((one) => isWithin({ path: one, folder: path }))
  if (own !== undefined) return `it is or contains ${own}, which belongs to an agent`
  if (isWithin({ path, folder: data }) || isWithin({ path: data, folder: path })) return 'it overlaps the data folder'
  return refuseEverywhere(path)
}

/** Why no session may use this folder as its working directory, or `null` if it may. */
export function refuseWorkspace(folder: string, dataDir: string): string | null {
  const path = realPath(folder)
  const data = realPath(dataDir)
  if (isWithin({ path, folder: data })) return 'it is the data folder of the server or lies in it'
  return refuseEverywhere(path)
}

function homeFolders(): readonly string[] {
  try {
    return [homedir(), userInfo().homedir]
  } catch {
    // A user without an entry in the user database, as in some containers.
    return [homedir()]
  }
}

function refuseEverywhere(path: string): string | null {
  const own = installation.map(realPath)
  if (own.some((folder) => isWithin({ path, folder }))) return 'it is part of the installation'
  const homes = homeFolders().map(realPath)
  // An empty HOME is an empty path, which must not stand for the current folder.
  const home = homes.find((one) => one === path || isBelow({ path: one, folder: path }))
  if (home !== undefined && dirname(home) !== home) return 'it is or contains the home folder of the server’s user'
  const system = [...systemFolders, ...machineFolders].map((name) => realPath(resolve('/', name)))
  if (system.some((folder) => isWithin({ path, folder }))) return 'it is a system folder'
  const isShared = sharedFolders.some((name) => realPath(resolve('/', name)) === path)
  return isShared ? 'it is a system folder' : null
}
