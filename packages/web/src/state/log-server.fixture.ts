// A tiny server that speaks the protocol: one log, served as a snapshot and as a stream that tests can cut.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type Client,
  createClient,
  type EventDraft,
  foldSession,
  type SessionEvent,
  type SessionState,
} from '@quarterdeck/protocol'
import { loggedEvent, sessionId } from './logged-event.fixture.ts'

export interface LogServer {
  readonly client: Client
  readonly log: SessionEvent[]
  state(): SessionState
  /** Adds to the log and tells whoever listens. */
  append(event: EventDraft): SessionEvent
  /** Something streamed that is not in the log. */
  stream(value: unknown): void
  cut(): void
  /** While true, every request is refused by closing its socket. */
  setAway(isAway: boolean): void
  /** `null` loses the answer on its way. */
  onDecide: (body: unknown, key: string) => { readonly status: number; readonly value: unknown } | null
  close(): Promise<void>
}

export async function startLogServer(): Promise<LogServer> {
  const log: SessionEvent[] = []
  const readers = new Set<ServerResponse>()
  let isAway = false
  const server = createServer((request, response) => {
    if (isAway) request.socket.destroy()
    else void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  const frame = (event: SessionEvent) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`

  function state(): SessionState {
    const folded = foldSession(null, log)
    if (folded === null) throw new Error('append AgentSessionCreated first')
    return folded
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://log').pathname
    const reply = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (path === `/v1/sessions/${sessionId}/events`) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(':open\n\n')
      for (const event of log.slice(Number(request.headers['last-event-id'] ?? 0))) response.write(frame(event))
      readers.add(response)
      response.on('close', () => readers.delete(response))
    } else if (path === `/v1/sessions/${sessionId}`) {
      reply(200, { session: state(), openTexts: [] })
    } else if (path === '/v1/sessions') {
      reply(200, { sessions: [state()], nextCursor: null })
    } else if (path === '/v1/approvals') {
      const { approvals, agentName, title } = state()
      reply(200, { approvals: approvals.map((approval) => ({ ...approval, agentName, title })) })
    } else if (path.startsWith('/v1/approvals/')) {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const decided = served.onDecide(JSON.parse(text), String(request.headers['idempotency-key']))
      if (decided === null) request.socket.destroy()
      else reply(decided.status, decided.value)
    } else {
      reply(404, problem('session.not-found', 404, 'there is no such session'))
    }
  }

  const served: LogServer = {
    client: createClient({ baseUrl: `http://127.0.0.1:${port}` }),
    log,
    state,
    append(event) {
      const added = loggedEvent(event, { seq: log.length + 1 })
      log.push(added)
      for (const reader of readers) reader.write(frame(added))
      return added
    },
    stream(value) {
      for (const reader of readers) reader.write(`data: ${JSON.stringify(value)}\n\n`)
    },
    cut() {
      for (const reader of readers) reader.destroy()
    },
    setAway(next) {
      isAway = next
    },
    onDecide: () => ({ status: 200, value: { sessionId, appliedSeq: log.length } }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return served
}

export const problem = (code: string, status: number, detail: string) => ({
  type: `https://quarterdeck.dev/errors/${code}`,
  title: code,
  status,
  code,
  detail,
})
