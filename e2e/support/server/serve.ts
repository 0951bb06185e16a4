// A real server in its own process, so that tests can kill it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@quarterdeck/client'
import { processesMentioning } from './process-tree.ts'
import { folderVariable } from './temporary-folder.ts'

export const checkout = fileURLToPath(new URL('../../..', import.meta.url))
export const command = join(checkout, 'packages', 'cli', 'bin', 'quarterdeck.mjs')
export const examples = join(checkout, 'examples')

export interface Served {
  readonly url: string
  readonly loginLink: string
  readonly token: string
  readonly client: Client
  readonly dataDir: string
  readonly pid: number
  output(): string
  /** Resolves when the process has ended. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>
  /** Sends Ctrl-C as a terminal does, to the whole process group. Only for a server that leads one. */
  interruptGroup(): Promise<void>
}

export interface ServeOptions {
  readonly dataDir?: string
  /** The served agents. The default is the examples of this checkout. */
  readonly agents?: string
  readonly port?: number
  /** Runs `npm start` instead of the command itself. */
  readonly isNpmStart?: boolean
  /** Starts the server as the leader of a process group, as a shell does. */
  readonly leadsGroup?: boolean
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The folder the server starts in; the checkout by default. */
  readonly cwd?: string
  /** Keeps spare processes, as a server does by default. Off here, because each costs as much as a session. */
  readonly hasSpares?: boolean
  /** Another user to run as. Only root can do this. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

export const newFolder = (name: string): Promise<string> =>
  mkdtemp(join(process.env[folderVariable] ?? tmpdir(), `${name}-`))

/** Only the variables a server needs, never the environment of the test runner. */
export async function cleanEnvironment(home: string): Promise<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    CI: 'true',
    NO_COLOR: '1',
    QUARTERDECK_ALLOW_UNSANDBOXED: '1',
  }
}

export async function serve(options: ServeOptions = {}): Promise<Served> {
  const dataDir = options.dataDir ?? join(await newFolder('data'), 'data')
  const home = options.env?.HOME ?? (await newFolder('home'))
  const env = { ...(await cleanEnvironment(home)), ...options.env }
  if (options.hasSpares !== true) await withoutSpares(home)
  const flags = ['--data', dataDir, '--port', String(options.port ?? 0), '--no-open', ...(options.args ?? [])]
  const [program, args] =
    options.isNpmStart === true
      ? ['npm', ['start', '--', ...flags]]
      : [process.execPath, [command, 'serve', options.agents ?? examples, ...flags]]
  const detached = options.leadsGroup === true
  const cwd = options.cwd ?? checkout
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached, ...options.user })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const loginLink = await waitForLink(child, () => output)
  const url = new URL(loginLink).origin
  const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim()
  const pid = options.isNpmStart === true ? await startedByNpm(dataDir) : (child.pid ?? 0)
  const end = async (target: number, signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    process.kill(target, signal)
    await exited
  }
  return {
    url,
    loginLink,
    token,
    dataDir,
    pid,
    client: createClient({ baseUrl: url, token }),
    output: () => output,
    kill: (signal) => end(pid, signal),
    async interruptGroup() {
      if (!detached || child.pid === undefined) throw new Error('this server leads no process group')
      await end(-child.pid, 'SIGINT')
    },
  }
}

/** A configuration written by a test is not overwritten. */
async function withoutSpares(home: string): Promise<void> {
  const folder = join(home, '.quarterdeck')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'config.yaml')
  if (!existsSync(file)) await writeFile(file, 'processes: { spares: false }\n')
}

/** The server itself: npm only waits for it and would leave it running when killed. */
async function startedByNpm(dataDir: string): Promise<number> {
  const lines = await processesMentioning(dataDir)
  const pid = lines.find((line) => /^\d+ \S*node \S*start\.mjs/.test(line))?.split(' ')[0]
  if (pid === undefined) throw new Error(`no server among:\n${lines.join('\n')}`)
  return Number(pid)
}

async function waitForLink(child: ChildProcess, output: () => string): Promise<string> {
  const closed = once(child, 'close')
  closed.catch(() => undefined) // the caller that waits for it handles it
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const link = /https?:\/\/\S+\/login\?code=\S+/.exec(output())?.[0]
    if (link !== undefined) return link
    if (child.exitCode !== null) {
      await closed // the last output may arrive later
      throw new Error(`the server ended with ${child.exitCode}:\n${output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`no link within two minutes:\n${output()}`)
}

/** Runs a command until it exits. */
export async function runCommand(
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...(await cleanEnvironment(await newFolder('home'))), ...options.env }
  const child = spawn(process.execPath, [command, ...args], { env, cwd: options.cwd ?? checkout, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.end(options.input ?? '')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
