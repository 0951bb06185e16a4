// Starts the CLI in the sandbox, records the process, and returns what the SDK needs.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import { withTimeout } from '@quarterdeck/protocol'
import type { FileView } from '../../../isolation/mount-plan.ts'
import { removeRecord, writeRecord } from '../../../isolation/process-record.ts'
import { killTree, ownGroup } from '../../../isolation/process-tree.ts'
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
  /** Resolves when the process has exited. */
  readonly exited: Promise<CliExit>
  /** Kills the process and all its descendants immediately. */
  kill(): Promise<void>
}

export interface CliProcessOptions {
  readonly dataDir: string
  readonly marker: string
  /** Removed after the process has exited. */
  readonly scratch: string
  readonly isolation: Isolation
  readonly tools: SystemTools
  readonly view: FileView
  readonly logger: Logger
}

const maxStderrChars = 4_000

/** Throws, with nothing left running, if the process cannot be recorded. */
export function spawnCli({ command, args, cwd, env }: SpawnOptions, processOptions: CliProcessOptions): Cli {
  const { dataDir, marker, scratch, logger } = processOptions
  const [file = command, ...rest] = sandboxCommand([command, ...args], processOptions)
  const child = spawn(file, rest, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ...ownGroup })
  const self = child.pid === undefined ? null : identify(child.pid)
  /** Never rejects, because some callers do not await it. */
  const kill = async () => {
    if (self !== null) await killTree(self, marker)
    try {
      removeRecord(dataDir, marker)
    } catch (error) {
      logger.warn({ marker, error }, 'cannot remove the record of an agent process that has ended')
    }
    await removeScratchFolder(scratch)
  }

  try {
    if (self !== null) writeRecord(dataDir, { process: self, owner: identify(process.pid), marker })
  } catch (error) {
    // Without the record, no later server could kill the process.
    void kill()
    throw error
  }

  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars)
  })
  // The SDK reports failed writes. Without a listener, the error would crash the server.
  child.stdin.on('error', () => undefined)

  const exited = exitOf(child).then(({ error, ...how }) => withoutWrapper({ ...how, stderr: stderr + error }))
  // Kills descendants that remain, such as a shell in its own session, even after a normal exit.
  void exited.then(kill)

  // `unshare` waits for its child and ignores SIGTERM. The input is closed long before the SDK sends a signal.
  const end = child.kill.bind(child)
  return { spawned: Object.assign(child, { kill: () => end('SIGKILL') }), self, exited, kill }
}

/** The last output on stderr may arrive shortly after the exit. */
const lateStderrMs = 200

async function exitOf(child: ChildProcessByStdio<Writable, Readable, Readable>) {
  const stderrEnded = new Promise<void>((resolve) => child.stderr.once('end', resolve))
  const how = await new Promise<{ exitCode: number | null; signal: string | null; error: string }>((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, signal: null, error: error.message }))
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, error: '' }))
  })
  await withTimeout(stderrEnded, lateStderrMs)
  return { ...how, signal: how.signal ?? signalOf(how.exitCode) }
}

/** Newer wrappers report the signal of the CLI as shells do: 128 plus its number. */
function signalOf(exitCode: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => exitCode === 128 + number)
  return found?.[0] ?? null
}

/** util-linux 2.38 fails when its child is killed by a signal (measured), and does not report which one. */
const wrapperFailure = /unshare: sigprocmask unblock failed[^\n]*\n?/

function withoutWrapper(exit: CliExit): CliExit {
  if (!wrapperFailure.test(exit.stderr)) return exit
  return { exitCode: null, signal: 'unknown', stderr: exit.stderr.replace(wrapperFailure, '') }
}
