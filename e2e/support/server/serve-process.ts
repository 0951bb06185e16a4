// A real server in its own process, so that tests can kill it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { processesMentioning } from './process-tree.ts'
import { command } from './run-command.ts'
import { checkout, planServer, type Served, type ServeOptions, waitForServer } from './serve.ts'

type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGINT'

export interface ServedProcess extends Served {
  readonly pid: number
  /** Resolves when the process has ended. */
  kill(signal: Signal): Promise<void>
  /** Sends Ctrl-C as a terminal does, to the whole process group. Only for a server that leads one. */
  interruptGroup(): Promise<void>
}

export interface ProcessOptions extends ServeOptions {
  /** Runs `npm start` instead of the command itself. */
  readonly isNpmStart?: boolean
  /** Starts the server as the leader of a process group, as a shell does. */
  readonly leadsGroup?: boolean
  /** The folder the server starts in; the checkout by default. */
  readonly cwd?: string
  /** Another user to run as. Only root can do this. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

export async function serveProcess(options: ProcessOptions = {}): Promise<ServedProcess> {
  const { dataDir, env, flags, args } = await planServer(options)
  const [program, argv] =
    options.isNpmStart === true ? ['npm', ['start', '--', ...flags]] : [process.execPath, [command, ...args]]
  const detached = options.leadsGroup === true
  const cwd = options.cwd ?? checkout
  const child = spawn(program, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached, ...options.user })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  // Known when the last output has arrived.
  let ending: string | null = null
  child.once('close', (code, signal) => {
    ending = String(code ?? signal)
  })
  const server = await waitForServer(dataDir, { output: () => output, ending: () => ending }).catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  const pid = options.isNpmStart === true ? await startedByNpm(dataDir) : (child.pid ?? 0)
  const end = async (target: number, signal: Signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    process.kill(target, signal)
    await exited
  }
  return {
    ...server,
    pid,
    stop: () => end(pid, 'SIGTERM'),
    kill: (signal) => end(pid, signal),
    async interruptGroup() {
      if (!detached || child.pid === undefined) throw new Error('this server leads no process group')
      await end(-child.pid, 'SIGINT')
    },
  }
}

/** The server itself: npm only waits for it and would leave it running when killed. */
async function startedByNpm(dataDir: string): Promise<number> {
  const lines = await processesMentioning(dataDir)
  const pid = lines.find((line) => /^\d+ \S*node \S*start\.mjs/.test(line))?.split(' ')[0]
  if (pid === undefined) throw new Error(`no server among:\n${lines.join('\n')}`)
  return Number(pid)
}
