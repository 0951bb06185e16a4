// One session that the NetBox front end uses through a compatibility listener, watched over all other wires at the same
// time.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createSocketClient, type SocketClient } from '@quarterdeck/client'
import { emptyTranscript, foldTranscript, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DialledSocket, WebSocket } from '../support/network/web-socket.ts'
import { command } from '../support/server/run-command.ts'
import { cleanEnvironment, newFolder, type Served, serve } from '../support/server/serve.ts'

/** The events of the turn that a client of this wire has received. */
interface SessionSummary {
  readonly text: string
  readonly tools: readonly { readonly name: string; readonly input: unknown; readonly failed: boolean | null }[]
}

interface Chunk {
  readonly type: string
  readonly content: string
  readonly completed: boolean
  readonly metadata: Readonly<Record<string, unknown>> | null
}

let served: Served
let listenerUrl: string
let socketClient: SocketClient
const sockets: DialledSocket[] = []
const children: ChildProcess[] = []

beforeAll(async () => {
  const args = [
    '--model-source',
    'simulator',
    '--compat',
    'chat:0',
    '--agent',
    'netbox',
    '--origin',
    'http://localhost:3000',
  ]
  served = await serve({ args })
  const [opened] = (await served.client.serverInfo()).compatListeners
  listenerUrl = opened?.url ?? ''
  socketClient = createSocketClient({ baseUrl: served.url, token: served.token, WebSocket })
})
afterAll(async () => {
  socketClient?.close()
  for (const socket of sockets) socket.terminate()
  for (const child of children) child.kill('SIGKILL')
  await served?.stop()
})

describe('one session, many wires', () => {
  it('warns at the start about an open compatibility listener', () => {
    expect(served.output()).toContain(`compat chat         ${listenerUrl} for agent netbox`)
    expect(served.output()).toMatch(
      /need no token: every program on this machine can use them, and pages of http:\/\/localhost:3000\./,
    )
    expect(served.output()).toMatch(
      /Their clients cannot decide: .* wait for an admin, in the workbench, with ".* sessions approve" or "answer"/,
    )
  })

  it('shows the same text and tools on each of them', async () => {
    const asking = await openChat(`${listenerUrl}/ws/chat`, { origin: 'http://localhost:3000' })
    const [connected] = await asking.until(({ type }) => type === 'connected')
    const sessionId = String(connected?.metadata?.session_id) as SessionId // the name of this wire
    const leaving = new AbortController()
    const overHttp = watch(served.client.follow(sessionId, { signal: leaving.signal }))
    const overSocket = watch(socketClient.follow(sessionId, { signal: leaving.signal }))
    const overPipe = await watchInSidecar(sessionId)
    const joined = await openChat(`${served.url}/ws/chat?sessionId=${sessionId}`, {
      authorization: `Bearer ${served.token}`,
    })
    await joined.until(({ type }) => type === 'connected')

    asking.send({ message: 'How many sites are there?' })
    const turn = await asking.until(({ completed }) => completed)
    const seen = [turn, await joined.until(({ completed }) => completed)].map(summaryOfChunks)
    const watchers = [overHttp, overSocket, overPipe]
    await expect.poll(() => watchers.map(isOver)).toEqual(watchers.map(() => true))
    leaving.abort()

    const [summary] = seen
    expect(summary?.text).toContain('24 sites')
    expect(summary?.tools).toMatchObject([{ name: 'mcp__netbox__netbox_get_objects', failed: false }])
    for (const other of [...seen, ...watchers.map(summaryOfEvents)]) expect(other).toEqual(summary)
    expect(turn.at(-1)?.metadata).toMatchObject({
      session_id: sessionId,
      outcome: 'completed',
      model: { is_automatic: true },
      model_used: { model_display: expect.stringMatching(/^Claude /) },
      cost_usd: expect.any(Number),
    })
  })
})

async function openChat(url: string, headers: Readonly<Record<string, string>>) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
  sockets.push(socket)
  const chunks: Chunk[] = []
  socket.on('message', (data) => void chunks.push(JSON.parse(String(data))))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  let read = 0
  return {
    send: (frame: object) => socket.send(JSON.stringify(frame)),
    /** The next chunks, up to and including the first match. */
    async until(fits: (chunk: Chunk) => boolean): Promise<readonly Chunk[]> {
      const from = read
      await expect.poll(() => chunks.findIndex((chunk, index) => index >= from && fits(chunk))).toBeGreaterThan(-1)
      read = chunks.findIndex((chunk, index) => index >= from && fits(chunk)) + 1
      return chunks.slice(from, read)
    },
  }
}

function summaryOfChunks(chunks: readonly Chunk[]): SessionSummary {
  const results = chunks.filter(({ type }) => type === 'tool_result')
  return {
    text: chunks
      .filter(({ type }) => type === 'text')
      .map(({ content }) => content)
      .join(''),
    tools: chunks
      .filter(({ type }) => type === 'tool_use')
      .map(({ metadata }) => ({
        name: String(metadata?.name),
        input: metadata?.input,
        failed: Boolean(results.find((result) => result.metadata?.id === metadata?.id)?.metadata?.is_error),
      })),
  }
}

function watch(events: AsyncIterable<StreamedEvent>): readonly StreamedEvent[] {
  const seen: StreamedEvent[] = []
  void (async () => {
    for await (const event of events) seen.push(event)
  })()
  return seen
}

const isOver = (events: readonly StreamedEvent[]): boolean => events.some(({ type }) => type === 'TurnEnded')

function summaryOfEvents(events: readonly StreamedEvent[]): SessionSummary {
  const { items } = foldTranscript(emptyTranscript, events)
  return {
    text: items.map((item) => (item.type === 'text' ? item.text : '')).join(''),
    tools: items.flatMap((item) =>
      item.type === 'tool' ? [{ name: item.toolName, input: item.toolInput, failed: item.status === 'failed' }] : [],
    ),
  }
}

/** A program that attaches to the server through its pipes. */
async function watchInSidecar(sessionId: SessionId): Promise<readonly StreamedEvent[]> {
  const env = { ...(await cleanEnvironment(await newFolder('home'))), QUARTERDECK_TOKEN: served.token }
  const child = spawn(process.execPath, [command, 'sidecar', '--connect', served.url], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const seen: StreamedEvent[] = []
  let isSubscribed = false
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.id === 1) isSubscribed = message.result !== undefined
    if (message.method === 'session.event') seen.push(message.params.event)
  })
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.subscribe', params: { sessionId } })}\n`,
  )
  await expect.poll(() => isSubscribed).toBe(true)
  return seen
}
