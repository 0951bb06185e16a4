// Starts a sandboxed process other than the agent's CLI: with only its own variables, ended as a tree.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { delimiter, dirname, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { withTimeout } from '@quarterdeck/protocol'
import { identify } from '../system/linux-processes.ts'
import type { AgentFiles } from './agent-files.ts'
import { removeRecord, writeRecord } from './process-record.ts'
import { killTree, markerVariable, ownGroup } from './process-tree.ts'
import { isProgram, programPath } from './program-file.ts'
import { realPath } from './real-path.ts'
import { type Isolation, sandboxCommand } from './sandbox-command.ts'
import { makeScratchFolder, removeScratchFolder } from './scratch-folder.ts'
import { findSystemTools, type SystemTools } from './system-tools.ts'

export interface ProgramCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** In addition to PATH and HOME, which it may override, and the marker that identifies its descendants. */
  readonly env: Readonly<Record<string, string>>
}

export interface ProcessSandbox {
  /** Hidden from it, except its home and its working directory. */
  readonly dataDir: string
  /** The files it may read and write, in addition to its home and a temporary folder. */
  readonly files: AgentFiles
  /** Its own home folder, writable; created if it does not exist. */
  readonly home: string
  /** Where programs are found. */
  readonly path: string
  readonly isolation: Isolation
}

export type SandboxedProcess = Readonly<ReturnType<typeof spawnSandboxed>>

export interface ProcessExit {
  readonly how: string
  /** `null` if it was killed or could not be started. */
  readonly code: number | null
  /** The last lines. */
  readonly stderr: string
}

const maxStderrChars = 2_000
/** A well-behaved server ends when its input ends. */
const endGraceMs = 1_000
const outputGraceMs = 200

/** Throws a message if the command or its folder does not exist. */
export function spawnSandboxed(command: ProgramCommand, sandbox: ProcessSandbox) {
  const { dataDir, files, isolation } = sandbox
  const marker = randomUUID()
  mkdirSync(sandbox.home, { recursive: true, mode: 0o700 })
  const home = realPath(sandbox.home)
  const env = { PATH: sandbox.path, HOME: home, ...command.env, [markerVariable]: marker }
  const file = findProgram(command, env.PATH)
  const tmp = makeScratchFolder(dataDir, marker)
  const view = {
    cwd: command.cwd,
    tmp,
    locked: files.locked,
    writable: [...files.writable, home],
    hidden: [dataDir, ...files.hidden],
    visible: [...files.visible, dirname(file)],
  }
  const tools = findSystemTools()
  const argv = isolation.pidNamespace ? underInitProcess(tools, [file, ...command.args]) : [file, ...command.args]
  const [wrapper = file, ...args] = sandboxCommand(argv, { isolation, tools, view })
  const child = spawn(wrapper, args, { cwd: command.cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ...ownGroup })
  const self = child.pid === undefined ? null : identify(child.pid)
  if (self !== null) writeRecord(dataDir, { process: self, owner: identify(process.pid), marker })

  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars)
  })
  // A failed write shows as the end of the process.
  child.stdin.on('error', () => undefined)

  const kill = async () => {
    if (self !== null) await killTree(self, marker)
    removeRecord(dataDir, marker)
    await removeScratchFolder(tmp)
  }
  /** Resolves when the process and its descendants are gone. */
  const exit = endOf(child).then(async (how) => {
    await kill()
    return { ...how, stderr: stderr.trim() }
  })
  return {
    input: child.stdin,
    output: child.stdout,
    /** Decoded text of stderr. It is already being consumed, so listeners may be added and removed at any time. */
    errors: child.stderr,
    exit,
    /** Closes its input, then ends it and its descendants after a short time. */
    async end() {
      child.stdin.end()
      await withTimeout(exit, endGraceMs)
      await kill()
    },
  }
}

/** The first process of a namespace ignores signals, even its own: a script that kills itself would continue. */
const underInitProcess = ({ shell }: SystemTools, argv: readonly string[]): readonly string[] =>
  shell === null ? argv : [shell, '-c', 'unset PWD OLDPWD; "$@"; exit $?', shell, ...argv]

type Ending = Omit<ProcessExit, 'stderr'>

async function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<Ending> {
  const stderrEnd = new Promise<void>((settle) => child.stderr.once('end', settle))
  const ending = await new Promise<Ending>((settle) => {
    child.once('error', (error) => settle({ how: error.message, code: null }))
    child.once('exit', (code, signal) =>
      settle({ how: signal === null ? `exit code ${code}` : `ended by ${signal}`, code }),
    )
  })
  await withTimeout(stderrEnd, outputGraceMs)
  return ending
}

function findProgram({ command, cwd }: ProgramCommand, path: string): string {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`its folder ${cwd} does not exist`)
  }
  const named = programPath(command, cwd)
  const candidates = named === null ? path.split(delimiter).map((one) => resolve(one, command)) : [named]
  const found = candidates.find(isProgram)
  if (found !== undefined) return found
  throw new Error(`the command ${command} was not found: install it, or use its full path`)
}
