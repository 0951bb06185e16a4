// A real server inside this process: the whole `serve` command with its own terminal. This costs less than a process.
// A test that kills its server, or reads what the system knows about it, uses `serveProcess`.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@quarterdeck/client'
import { folderVariable } from './temporary-folder.ts'

export const checkout = fileURLToPath(new URL('../../..', import.meta.url))
export const examples = join(checkout, 'examples')

export interface Served {
  readonly url: string
  readonly loginLink: string
  readonly token: string
  readonly client: Client
  readonly dataDir: string
  output(): string
  /** Resolves when the server has ended. Fails if it ended with an error. */
  stop(): Promise<void>
}

export interface ServeOptions {
  readonly dataDir?: string
  /** The served agents. The default is the examples of this checkout. */
  readonly agents?: string
  readonly port?: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Keeps spare processes, as a server does by default. Off here, because each costs as much as a session. */
  readonly hasSpares?: boolean
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
  const { dataDir, home, env, args } = await planServer(options)
  // Loaded here, because most users of this file need only its folders.
  const { runProgram } = await import('../../../packages/cli/dist/program/program.js')
  let output = ''
  const recorded = () =>
    new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => {
      output += text
    })
  const handlers = new Set<() => void>()
  const terminal = {
    stdin: new PassThrough().end(),
    stdout: recorded(),
    stderr: recorded(),
    env,
    cwd: checkout,
    homeDir: home,
    onSignal(_signal: string, handler: () => void) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    exitNow() {
      throw new Error('a server inside the process of its tests cannot end it')
    },
  }
  let ending: string | null = null
  const ended = runProgram(terminal, [...args, '--grace-seconds', '0'], '').then(
    (code) => {
      ending = String(code)
    },
    (error: unknown) => {
      ending = error instanceof Error ? (error.stack ?? error.message) : String(error)
    },
  )
  const server = await waitForServer(dataDir, { output: () => output, ending: () => ending })
  return {
    ...server,
    async stop() {
      for (const handler of handlers) handler()
      await ended
      if (ending !== '0') throw new Error(`the server ended with ${ending}:\n${output}`)
    },
  }
}

/** The folders, variables and arguments of a server. */
export async function planServer(options: ServeOptions) {
  const dataDir = options.dataDir ?? join(await newFolder('data'), 'data')
  const home = options.env?.HOME ?? (await newFolder('home'))
  const env = { ...(await cleanEnvironment(home)), ...options.env }
  if (options.hasSpares !== true) await withoutSpares(home)
  const flags = ['--data', dataDir, '--port', String(options.port ?? 0), '--no-open', ...(options.args ?? [])]
  return { dataDir, home, env, flags, args: ['serve', options.agents ?? examples, ...flags] }
}

/** A configuration written by a test is not overwritten. */
async function withoutSpares(home: string): Promise<void> {
  const folder = join(home, '.quarterdeck')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'config.yaml')
  if (!existsSync(file)) await writeFile(file, 'processes: { spares: false }\n')
}

interface ServerOutput {
  output(): string
  /** How the server ended; `null` while it runs. */
  ending(): string | null
}

/** Waits for the link that the server prints when it is ready. */
export async function waitForServer(dataDir: string, { output, ending }: ServerOutput) {
  const loginLink = await waitForLink(output, ending)
  const url = new URL(loginLink).origin
  const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim()
  return { url, loginLink, token, dataDir, output, client: createClient({ baseUrl: url, token }) }
}

async function waitForLink(output: () => string, ending: () => string | null): Promise<string> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const link = /https?:\/\/\S+\/login\?code=\S+/.exec(output())?.[0]
    if (link !== undefined) return link
    const how = ending()
    if (how !== null) throw new Error(`the server ended with ${how}:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`no link within two minutes:\n${output()}`)
}
