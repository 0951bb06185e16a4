// Measures once which restrictions of a sandbox this machine supports, by using them. Missing ones are reported.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Isolation, sandboxCommand } from './sandbox-command.ts'
import { findSystemTools, type SystemTools } from './system-tools.ts'

const nothing: Isolation = {
  pidNamespace: false,
  ownProc: false,
  hidesFiles: false,
  guardsMachine: false,
  why: 'this system has no sandbox for agents: an agent’s shell can read the server’s environment and its access token',
  prefix: [],
  dropRights: [],
}

/** Probed once per process: the result depends on the machine and the user, and probing starts programs. */
let measured: Promise<Isolation> | undefined

export function probeIsolation(tools?: SystemTools): Promise<Isolation> {
  if (tools !== undefined) return measureIsolation(tools)
  measured ??= measureIsolation(findSystemTools())
  return measured
}

async function measureIsolation(tools: SystemTools): Promise<Isolation> {
  for (const candidate of candidates(tools)) {
    if (await holds(candidate, tools)) return candidate
  }
  return nothing
}

const namespaces = ['--pid', '--mount-proc', '--fork', '--kill-child']
const asOneself = ['--user', '--map-current-user']

/**
 * Capabilities that an ordinary root shell needs. Left out: file handles (they bypass every mount), mounts, tracing,
 * devices and modules, packets of other processes.
 */
const rootRights = ['chown', 'dac_override', 'fowner', 'fsetid', 'kill', 'setgid', 'setuid', 'net_bind_service']
const onlyRights = (rights: readonly string[]) => [
  '--no-new-privs',
  `--bounding-set=${['-all', ...rights.map((right) => `+${right}`)].join(',')}`,
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--',
]

function candidates({ setpriv, unshare }: SystemTools): readonly Isolation[] {
  if (setpriv === null) return []
  const dieWithServer = [setpriv, '--pdeathsig', 'KILL', '--']
  const alone: Isolation = {
    ...nothing,
    why: 'no namespaces here: an agent’s shell can read the server’s environment and its access token, and may outlive a crash until the next start',
    prefix: dieWithServer,
  }
  if (unshare === null) return [alone]
  const isRoot = process.getuid?.() === 0
  const shut = { ...nothing, pidNamespace: true, ownProc: true, why: null }
  const full: Isolation = { ...shut, hidesFiles: true, guardsMachine: isRoot }
  const asRoot: Isolation = {
    ...full,
    prefix: [...dieWithServer, unshare, '--mount', ...namespaces, '--'],
    dropRights: [setpriv, ...onlyRights(rootRights)],
  }
  const asUser: Isolation = {
    ...full,
    prefix: [...dieWithServer, unshare, ...asOneself, '--keep-caps', '--mount', ...namespaces, '--'],
    dropRights: [setpriv, ...onlyRights([])],
  }
  const withoutMounts: Isolation = {
    ...shut,
    why: 'mounts are refused here: an agent’s shell can read the server’s access token and so reach its API',
    prefix: [...dieWithServer, unshare, ...asOneself, ...namespaces, '--'],
  }
  return [...(isRoot ? [asRoot] : []), asUser, withoutMounts, alone]
}

// A hidden file must not be found, /tmp must be writable, the mounts of /, /usr, /etc and /home and the kernel's settings
// must be read-only, and the right to open files by handle (the third of the lowest four) must be gone.
const proof = `[ ! -e "$1" ] && [ ! -w /proc/sys/kernel/core_pattern ] && : > /tmp/own || exit 1
while read -r id parent device root point options rest; do
  case "$point $options" in "/ rw"*|"/usr rw"*|"/etc rw"*|"/home rw"*) exit 1 ;; esac
done < /proc/self/mountinfo
while read -r name value; do
  case "$name$value" in CapEff:*[4567cdef]|CapBnd:*[4567cdef]) exit 1 ;; esac
done < /proc/self/status`

async function holds(candidate: Isolation, tools: SystemTools): Promise<boolean> {
  const { shell, mount, mkdir, ln, stat } = tools
  const hasTools = mount !== null && mkdir !== null && ln !== null && stat !== null
  if (shell === null || (candidate.hidesFiles && !hasTools)) return false
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-probe-'))
  try {
    const [hidden, tmp] = [join(folder, 'hidden'), join(folder, 'tmp')]
    for (const one of [hidden, tmp]) mkdirSync(one)
    const file = join(hidden, 'file')
    writeFileSync(file, '')
    const command = [shell, '-c', candidate.hidesFiles ? proof : 'exit 0', shell, file]
    return await succeeds(
      sandboxCommand(command, {
        isolation: candidate,
        tools,
        view: { cwd: '/', writable: [], locked: [], hidden: [hidden], visible: [], tmp },
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function succeeds([file = '', ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(file, args, { env: {}, timeout: 20_000, killSignal: 'SIGKILL' }, (error) => resolve(error === null))
  })
}
