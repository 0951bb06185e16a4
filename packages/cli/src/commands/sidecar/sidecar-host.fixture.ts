// A program that runs a sidecar: writes to its input and collects its output line by line.
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, vi } from 'vitest'
import { agentText, type Script, sharedScripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { type SidecarFlags, sidecar } from './sidecar.ts'

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  // Whatever a test looks for.
  readonly params?: Record<string, never>
  readonly result?: Record<string, never>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

export interface HostOptions {
  readonly script?: Script
  readonly cwd?: string
  readonly agent?: string
  readonly flags?: Partial<SidecarFlags>
  readonly env?: Readonly<Record<string, string>>
  /** Does not read until `read` is called. */
  readonly isSlow?: boolean
}

export type TestHost = Awaited<ReturnType<typeof openTestHost>>

export async function openTestHost(options: HostOptions = {}) {
  const opened = await openTestTerminal({
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
  })
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const terminal = { ...opened.terminal, stdin, stdout }
  const messages: (Message | Message[])[] = []
  let rest = ''
  const read = () =>
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      messages.push(...lines.map((line) => JSON.parse(line)))
    })
  if (options.isSlow !== true) read()

  const { cwd } = terminal
  if (options.cwd === undefined) await writeAgent(cwd, options.agent ?? agentText)
  const flags = { graceSeconds: 0, ...options.flags }
  const backend = options.script === undefined ? {} : sharedScripted(options.script)
  const paths = flags.connect === undefined ? ['.'] : []
  const running = sidecar(terminal, { paths, flags }, backend)
  running.catch(() => undefined) // callers that wait for it get the error

  const write = (message: object | string) =>
    void stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  let lastId = 0
  const single = () => messages.filter((message): message is Message => !Array.isArray(message))
  const find = async (fits: (message: Message) => boolean): Promise<Message> => {
    const found = () => single().find(fits)
    return vi.waitFor(
      () => {
        const message = found()
        if (message === undefined) throw new Error(`nothing of the kind among ${messages.length} messages`)
        return message
      },
      { timeout: 60_000, interval: 5 },
    )
  }

  return {
    running,
    terminal,
    stdin,
    stdout,
    messages,
    write,
    read,
    find,
    cwd,
    stderr: opened.stderr,
    signal: opened.signal,
    exits: opened.exits,
    handlers: opened.handlers,
    /** The whole answer, whether refused or not. */
    async call(method: string, params: object = {}): Promise<Message> {
      lastId += 1
      const id = `call-${lastId}`
      write({ jsonrpc: '2.0', id, method, params })
      return find((message) => message.id === id && message.method === undefined)
    },
    /** Requests of the sidecar to this program. */
    asked: (method: string) => find((message) => message.method === method && message.id !== undefined),
    events: () =>
      single().flatMap(({ method, params }) =>
        method === 'session.event' ? [(params as unknown as { event: SeenEvent }).event] : [],
      ),
    async end(): Promise<number> {
      stdin.end()
      return running
    },
  }
}

export interface SeenEvent {
  readonly type: string
  readonly seq?: number
  readonly data: Readonly<Record<string, unknown>>
}

/** A host that ends with its test. */
export async function openHost(options: HostOptions = {}): Promise<TestHost> {
  const host = await openTestHost(options)
  onTestFinished(async () => {
    host.read()
    host.stdin.end()
    await host.running.catch(() => undefined)
  })
  return host
}

/** Returns the id of a session that the host follows. */
export async function startSession(
  host: TestHost,
  params: object = {},
  handles: readonly string[] = [],
): Promise<string> {
  const { result, error } = await host.call('session.start', { agent: 'tester', ...params })
  expect(error).toBeUndefined()
  const sessionId = String((result as { sessionId?: string } | undefined)?.sessionId)
  expect((await host.call('session.subscribe', { sessionId, handles })).error).toBeUndefined()
  return sessionId
}

export const typesOf = (host: TestHost) => host.events().map(({ type }) => type)
export const ended = (host: TestHost) => host.events().filter(({ type }) => type === 'TurnEnded')
/** Streamed deltas come last. */
export const streams = (host: TestHost) => expect.poll(() => typesOf(host).at(-1)).toMatch(/^AgentStream/)
export const idle = (host: TestHost) => expect.poll(() => host.events().at(-1)).toMatchObject({ data: { to: 'idle' } })
