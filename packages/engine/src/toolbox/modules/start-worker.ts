// Starts a process for the modules of a project, in the same sandbox as MCP servers and hook scripts: it has its own
// environment and memory limit, and cannot see the server's files.
import { type ProcessSandbox, type SandboxedProcess, spawnSandboxed } from '../../isolation/spawn-sandboxed.ts'
import { findSystemTools } from '../../isolation/system-tools.ts'
import { hooksAddress, neighbour, stripperAddress } from './hooks-address.ts'

export interface WorkerOptions extends ProcessSandbox {
  /** Absolute. Paths below it are named in errors, others are not. */
  readonly project: string
  /** Absolute. Its working directory. */
  readonly cwd: string
  /** In addition to PATH and HOME. */
  readonly env: Readonly<Record<string, string>>
  /** How much memory it may use before it is killed. */
  readonly memoryMb?: number | undefined
}

export const defaultMemoryMb = 512

/** Throws with a message if it cannot be started. */
export function startWorker({
  project,
  cwd,
  env,
  memoryMb = defaultMemoryMb,
  ...workerOptions
}: WorkerOptions): SandboxedProcess {
  const { shell } = findSystemTools()
  if (shell === null) throw new Error('functions need a POSIX shell: /bin/sh was not found')
  const node = [process.execPath, `--max-old-space-size=${memoryMb}`, '--input-type=module', '--eval']
  const args = ['-c', moveChannel, shell, ...node, bootstrap(project)]
  return spawnSandboxed({ command: shell, args, cwd, env }, workerOptions)
}

// Moves the channel from the standard streams, which belong to the functions and their subprocesses, to the descriptors 3
// and 4. Node does not pass these on to subprocesses.
const moveChannel = 'unset PWD OLDPWD; exec "$@" 3<&0 4>&1 </dev/null >&2'

/** Clears `execArgv`, so that programs that a function forks do not get the options of the worker. */
const bootstrap = (project: string): string => `
import { register } from 'node:module'
import { MessageChannel } from 'node:worker_threads'
process.execArgv.length = 0
const { port1: files, port2 } = new MessageChannel()
register(${JSON.stringify(hooksAddress())}, {
  data: { ...${JSON.stringify({ stripper: stripperAddress(), packagesUrl: import.meta.url })}, files: port2 },
  transferList: [port2],
})
const { runWorker } = await import(${JSON.stringify(neighbour('worker-entry').href)})
runWorker({ project: ${JSON.stringify(project)}, input: 3, output: 4, files })
`
