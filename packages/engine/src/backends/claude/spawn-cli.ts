// Starts the CLI shut in, notes it down, and gives the SDK what it needs of it.
import { spawn } from 'node:child_process'
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import { type Sight, shutIn } from './hide-files.ts'
import type { Isolation, SystemTools } from './isolation.ts'
import { identify } from './proc.ts'
import { removeRecord, writeRecord } from './process-record.ts'
import { killTree } from './process-tree.ts'

export interface CliExit {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last lines it wrote to stderr. */
  readonly stderr: string
}

export interface Cli {
  readonly spawned: SpawnedProcess
  /** Resolves when the process is gone. */
  readonly exited: Promise<CliExit>
  /** Ends it and everything it started, at once. */
  kill(): Promise<void>
}

export interface CliPlace {
  readonly dataDir: string
  readonly marker: string
  readonly isolation: Isolation
  readonly tools: SystemTools
  readonly sight: Sight
}

const keptStderr = 4_000

export function spawnCli({ command, args, cwd, env }: SpawnOptions, place: CliPlace): Cli {
  const { dataDir, marker } = place
  const [file = command, ...rest] = shutIn([command, ...args], place)
  const child = spawn(file, rest, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const self = child.pid === undefined ? null : identify(child.pid)
  if (self !== null) writeRecord(dataDir, { process: self, owner: identify(process.pid), marker })

  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-keptStderr)
  })
  // The SDK reports what it could not write; an error nobody listens to would end the server.
  child.stdin.on('error', () => undefined)

  const exited = new Promise<CliExit>((resolve) => {
    const done = (exitCode: number | null, signal: string | null) => resolve({ exitCode, signal, stderr })
    child.once('error', (error) => {
      stderr += error.message
      done(null, null)
    })
    child.once('exit', done)
  })
  const kill = async () => {
    if (self !== null) await killTree(self, marker)
    removeRecord(dataDir, marker)
  }
  // What it left behind (a shell in a session of its own) goes with it, also after an end it chose itself.
  void exited.then(kill)

  return {
    spawned: Object.assign(Object.create(child), {
      // `unshare` waits for its child and ignores the polite signal; its input is closed before anybody gets here.
      kill: () => child.kill('SIGKILL'),
    }),
    exited,
    kill,
  }
}
