// A real sidecar as a child process, with a minimal host.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Applied, QuarterdeckError, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { expect } from 'vitest'
import { command } from '../support/server/run-command.ts'
import { checkout, cleanEnvironment, newFolder } from '../support/server/serve.ts'

interface Line {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly event?: StreamedEvent; readonly approvalId?: string }
  readonly result?: Applied
  readonly error?: { readonly message: string }
}

export type SidecarProcess = Awaited<ReturnType<typeof startSidecar>>

export async function startSidecar(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [command, 'sidecar', ...args], {
    env: { ...(await cleanEnvironment(await newFolder('home'))), ...env },
    cwd: checkout,
    stdio: 'pipe',
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // it was killed, and the test sees its exit code
  const lines: Line[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal, stderr }))
  let lastId = 0
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const find = async (fits: (line: Line) => boolean): Promise<Line> => {
    await expect.poll(() => lines.some(fits) || child.exitCode !== null, { interval: 20 }).toBe(true)
    const found = lines.find(fits)
    if (found === undefined) throw new Error(`the sidecar ended with ${child.exitCode}:\n${stderr}`)
    return found
  }
  return {
    child,
    exited,
    lines,
    find,
    write,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    ready: () => find(({ method }) => method === 'server.ready'),
    async call(method: string, params: object): Promise<Applied> {
      lastId += 1
      const id = lastId
      write({ id, method, params })
      const { result, error } = await find((line) => line.id === id && line.method === undefined)
      if (result === undefined) throw new QuarterdeckError('request.invalid', error?.message ?? 'no result')
      return result
    },
    /** The answers of this host to requests of the sidecar. */
    asked: (method: string) => find((line) => line.method === method),
    events: (): StreamedEvent[] => lines.flatMap(({ params }) => (params?.event === undefined ? [] : [params.event])),
    /** Resolves with the first event of this type. */
    async saw(fits: (event: StreamedEvent) => boolean): Promise<void> {
      await find(({ params }) => params?.event !== undefined && fits(params.event))
    },
    async end() {
      child.stdin.end()
      return exited
    },
    async kill(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

export const subscribe = (sidecar: SidecarProcess, sessionId: SessionId, after = 0) =>
  sidecar.call('session.subscribe', { sessionId, after, handles: ['approvals'] })
