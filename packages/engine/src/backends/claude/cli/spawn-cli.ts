// Starts the CLI shut in, notes it down, and gives the SDK what it needs of it.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import type { FileView } from '../../../isolation/mount-plan.ts'
import { ownGroup } from '../../../isolation/own-group.ts'
import { removeRecord, writeRecord } from '../../../isolation/process-record.ts'
import { killTree } from '../../../isolation/process-tree.ts'
import { type Isolation, sandboxCommand } from '../../../isolation/sandbox-command.ts'
import { removeScratchFolder } from '../../../isolation/scratch-folder.ts'
import type { SystemTools } from '../../../isolation/system-tools.ts'
import type { Logger } from '../../../ports/logger.ts'
import { identify, type ProcessIdentity } from '../../../system/linux-processes.ts'

export interface CliExit {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last lines it wrote to stderr. */
  readonly stderr: string
}

export interface Cli {
  readonly spawned: SpawnedProcess
  /** `null` when it could not be started. */
  readonly self: ProcessIdentity | null
  /** Resolves when the process is gone. */
  readonly exited: Promise<CliExit>
  /** Ends it and everything it started, at once. */
  kill(): Promise<void>
}

export interface CliProcessOptions {
  readonly dataDir: string
  readonly marker: string
  /** Removed when the process is gone. */
  readonly scratch: string
  readonly isolation: Isolation
  readonly tools: SystemTools
  readonly view: FileView
  readonly logger: Logger
}

const maxStderrChars = 4_000

/** Throws when it cannot be noted down; nothing runs then. */
export function spawnCli({ command, args, cwd, env }: SpawnOptions, processOptions: CliProcessOptions): Cli {
  const { dataDir, marker, scratch, logger } = processOptions
  const [file = command, ...rest] = sandboxCommand([command, ...args], processOptions)
  const child = spawn(file, rest, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ...ownGroup })
  const self = child.pid === undefined ? null : identify(child.pid)
  /** Never rejects: nobody may be waiting for it. */
  const kill = async () => {
    if (self !== null) await killTree(self, marker)
    try {
      removeRecord(dataDir, marker)
    } catch (error) {
      logger.warn({ marker, error }, 'the note about an agent process that has ended cannot be removed')
    }
    await removeScratchFolder(scratch)
  }

  try {
    if (self !== null) writeRecord(dataDir, { process: self, owner: identify(process.pid), marker })
  } catch (error) {
    // Without the note no later server could end it.
    void kill()
    throw error
  }

  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars)
  })
  // The SDK reports what it could not write; an error nobody listens to would end the server.
  child.stdin.on('error', () => undefined)

  const exited = exitOf(child).then(({ error, ...how }) => withoutWrapper({ ...how, stderr: stderr + error }))
  // What it left behind (a shell in a session of its own) goes with it, also after an end it chose itself.
  void exited.then(kill)

  // `unshare` waits for its child and ignores the polite signal; the input is closed long before the SDK sends one.
  const end = child.kill.bind(child)
  return { spawned: Object.assign(child, { kill: () => end('SIGKILL') }), self, exited, kill }
}

/** The last words on stderr may come a moment after the end. */
const lastWordsMs = 200

async function exitOf(child: ChildProcessByStdio<Writable, Readable, Readable>) {
  const stderrEnded = new Promise<void>((resolve) => child.stderr.once('end', resolve))
  const how = await new Promise<{ exitCode: number | null; signal: string | null; error: string }>((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, signal: null, error: error.message }))
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, error: '' }))
  })
  await Promise.race([stderrEnded, sleep(lastWordsMs)])
  return { ...how, signal: how.signal ?? signalOf(how.exitCode) }
}

/** Newer wrappers tell the signal of the CLI as shells do: 128 and the number. */
function signalOf(exitCode: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => exitCode === 128 + number)
  return found?.[0] ?? null
}

/** util-linux 2.38 stumbles when its child dies of a signal (measured), and does not say which. */
const wrapperStumbled = /unshare: sigprocmask unblock failed[^\n]*\n?/

function withoutWrapper(exit: CliExit): CliExit {
  if (!wrapperStumbled.test(exit.stderr)) return exit
  return { exitCode: null, signal: 'unknown', stderr: exit.stderr.replace(wrapperStumbled, '') }
}
