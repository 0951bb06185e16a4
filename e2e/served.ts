// A real server as a process of its own, so that it can really be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@quarterdeck/protocol'

const command = fileURLToPath(new URL('../packages/cli/bin/quarterdeck.mjs', import.meta.url))
export const examples = fileURLToPath(new URL('../examples', import.meta.url))

export interface Served {
  readonly url: string
  readonly loginLink: string
  readonly token: string
  readonly client: Client
  readonly dataDir: string
  readonly pid: number
  output(): string
  /** Resolves when the process is gone. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>
}

export interface ServeOptions {
  readonly dataDir?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export const newFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `quarterdeck-e2e-${name}-`))

/** Only what a server needs: never the environment of whoever runs the tests. */
export async function cleanEnvironment(home: string): Promise<Record<string, string>> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, CI: 'true', NO_COLOR: '1' }
}

export async function serve(options: ServeOptions = {}): Promise<Served> {
  const dataDir = options.dataDir ?? join(await newFolder('data'), 'data')
  const env = { ...(await cleanEnvironment(await newFolder('home'))), ...options.env }
  const args = ['serve', examples, '--data', dataDir, '--port', '0', '--no-open', ...(options.args ?? [])]
  const child = spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const loginLink = await waitForLink(child, () => output)
  const url = new URL(loginLink).origin
  const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim()
  return {
    ...{ url, loginLink, token, dataDir, pid: child.pid ?? 0 },
    client: createClient({ baseUrl: url, token }),
    output: () => output,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
}

async function waitForLink(child: ChildProcess, output: () => string): Promise<string> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const link = /https?:\/\/\S+\/login\?code=\S+/.exec(output())?.[0]
    if (link !== undefined) return link
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`no link within two minutes:\n${output()}`)
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...(await cleanEnvironment(await newFolder('home'))), ...options.env }
  const child = spawn(process.execPath, [command, ...args], { env, cwd: options.cwd ?? process.cwd(), stdio: 'pipe' })
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
