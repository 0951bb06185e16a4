// A process in which modules of a project run, shut in as MCP servers and hook scripts are: with its own environment, no
// sight of the server's files, and its own bound of memory.
import { type ShutInPlace, type ShutInProcess, spawnShutIn } from '../../isolation/spawn-shut-in.ts'
import { findSystemTools } from '../../isolation/system-tools.ts'
import { hooksAddress, neighbour, stripperAddress } from './hooks-address.ts'

export interface WorkerPlace extends ShutInPlace {
  /** Absolute. Paths below it are named in errors, others are not. */
  readonly project: string
  /** Absolute folder that it works in. */
  readonly cwd: string
  /** Beside PATH and HOME. */
  readonly env: Readonly<Record<string, string>>
  /** How much memory it may take before it is ended. */
  readonly memoryMb?: number | undefined
}

export const usualMemoryMb = 512

/** Throws a sentence when it cannot be started. */
export function startWorker({ project, cwd, env, memoryMb = usualMemoryMb, ...place }: WorkerPlace): ShutInProcess {
  const { shell } = findSystemTools()
  if (shell === null) throw new Error('functions need a POSIX shell: /bin/sh was not found')
  const node = [process.execPath, `--max-old-space-size=${memoryMb}`, '--input-type=module', '--eval']
  const args = ['-c', moveChannel, shell, ...node, bootstrap(project)]
  return spawnShutIn({ command: shell, args, cwd, env }, place)
}

// The channel moves away from standard input and output, which functions and what they start print to and read from.
// Node does not hand other descriptors than the standard ones to what it starts.
const moveChannel = 'unset PWD OLDPWD; exec "$@" 3<&0 4>&1 </dev/null >&2'

/** Programs that a function forks do not start with the options of the worker. */
const bootstrap = (project: string): string => `
import { register } from 'node:module'
import { MessageChannel } from 'node:worker_threads'
process.execArgv.length = 0
const { port1: files, port2 } = new MessageChannel()
register(${JSON.stringify(hooksAddress())}, {
  data: { ...${JSON.stringify({ stripper: stripperAddress(), house: import.meta.url })}, files: port2 },
  transferList: [port2],
})
const { runWorker } = await import(${JSON.stringify(neighbour('worker-entry').href)})
runWorker({ project: ${JSON.stringify(project)}, input: 3, output: 4, files })
`
