// How well a CLI can be shut in on this machine. Measured by doing it, once; what is missing is said, not hidden.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What holds for every agent process started here. */
export interface Isolation {
  /** Its whole tree dies with it, and it with the server. */
  readonly pidNamespace: boolean
  /** It sees no process but its own: not the server's environment either. */
  readonly ownProc: boolean
  /** The access token, the database and other sessions' files are out of its reach. */
  readonly hidesFiles: boolean
  /** What is missing and what it means, in a sentence; `null` when nothing is. */
  readonly why: string | null
  /** Put before the command; empty where the system offers nothing. */
  readonly prefix: readonly string[]
  /** Between the mounts and the command: takes back the right to undo them. */
  readonly dropRights: readonly string[]
}

export interface SystemTools {
  readonly setpriv: string | null
  readonly unshare: string | null
  readonly mount: string | null
  readonly mkdir: string | null
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
    shell: find('sh'),
  }
}

const nothing: Isolation = {
  pidNamespace: false,
  ownProc: false,
  hidesFiles: false,
  why: 'this system cannot shut agents in: an agent’s shell can read the server’s environment and its access token',
  prefix: [],
  dropRights: [],
}

export async function probeIsolation(tools: SystemTools = findSystemTools()): Promise<Isolation> {
  for (const candidate of candidates(tools)) {
    if (await holds(candidate, tools)) return candidate
  }
  return nothing
}

const namespaces = ['--pid', '--mount-proc', '--fork', '--kill-child']
const asOneself = ['--user', '--map-current-user']

function candidates({ setpriv, unshare }: SystemTools): readonly Isolation[] {
  if (setpriv === null) return []
  const dieWithServer = [setpriv, '--pdeathsig', 'KILL', '--']
  const alone: Isolation = {
    ...nothing,
    why: 'no namespaces here: an agent’s shell can read the server’s environment and its access token, and may outlive a crash until the next start',
    prefix: dieWithServer,
  }
  if (unshare === null) return [alone]
  const full: Isolation = { ...nothing, pidNamespace: true, ownProc: true, hidesFiles: true, why: null }
  const asRoot: Isolation = {
    ...full,
    prefix: [...dieWithServer, unshare, '--mount', ...namespaces, '--'],
    dropRights: [setpriv, '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'],
  }
  const asUser: Isolation = {
    ...full,
    prefix: [...dieWithServer, unshare, ...asOneself, '--keep-caps', '--mount', ...namespaces, '--'],
    dropRights: [setpriv, '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--'],
  }
  const withoutMounts: Isolation = {
    ...full,
    hidesFiles: false,
    why: 'mounts are refused here: an agent’s shell can read the server’s access token and so reach its API',
    prefix: [...dieWithServer, unshare, ...asOneself, ...namespaces, '--'],
  }
  return [...(process.getuid?.() === 0 ? [asRoot] : []), asUser, withoutMounts, alone]
}

async function holds(candidate: Isolation, { mount, mkdir, shell }: SystemTools): Promise<boolean> {
  if (shell === null || (candidate.hidesFiles && (mount === null || mkdir === null))) return false
  const test = candidate.hidesFiles ? '"$1" -t tmpfs none "$2" && shift 2 && exec "$@"' : 'shift 2; exec "$@"'
  const command = [...candidate.dropRights, shell, '-c', 'exit 0']
  const [file, ...args] = [...candidate.prefix, shell, '-c', test, shell, mount ?? '', tmpdir(), ...command]
  if (file === undefined) return false
  return new Promise((resolve) => {
    execFile(file, args, { env: {}, timeout: 20_000, killSignal: 'SIGKILL' }, (error) => resolve(error === null))
  })
}
