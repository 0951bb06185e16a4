// A small server for one session log. It serves a snapshot and a stream that tests can cut.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Client, createClient } from '@quarterdeck/client'
import {
  type EventDraft,
  foldSession,
  type InboxItem,
  type QueuePosition,
  type SessionEvent,
  type SessionState,
} from '@quarterdeck/protocol'
import { loggedEvent, sessionId } from './logged-event.fixture.ts'

export interface LogServer {
  readonly client: Client
  readonly log: SessionEvent[]
  state(): SessionState
  /** Appends to the log and sends the event to all readers. */
  append(event: EventDraft): SessionEvent
  /** Streams an event that is not in the log. */
  stream(value: unknown): void
  cut(): void
  /** While true, the server closes the socket of every request. */
  setUnreachable(isUnreachable: boolean): void
  /** Returns the response to each change. `null` closes the socket without a response. */
  onChange: (change: RecordedChange) => { readonly status: number; readonly value: unknown } | null
  /** The queue position in the snapshot. */
  queuePosition: QueuePosition | null
  close(): Promise<void>
}

export interface RecordedChange {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly key: string
}

export async function startLogServer(): Promise<LogServer> {
  const log: SessionEvent[] = []
  const readers = new Set<ServerResponse>()
  let isUnreachable = false
  const server = createServer((request, response) => {
    if (isUnreachable) request.socket.destroy()
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
    if (request.method !== 'GET') {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const key = String(request.headers['idempotency-key'])
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      const answered = logServer.onChange({ method: request.method ?? '', path, body, key })
      if (answered === null) request.socket.destroy()
      else reply(answered.status, answered.value)
    } else if (path === `/v1/sessions/${sessionId}/events` && request.headers.accept === 'application/json') {
      const after = Number(new URL(request.url ?? '/', 'http://log').searchParams.get('after') ?? 0)
      const events = log.slice(after, after + pageSize)
      reply(200, { events, lastSeq: log.length, hasMore: after + events.length < log.length })
    } else if (path === `/v1/sessions/${sessionId}/events`) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(':open\n\n')
      for (const event of log.slice(Number(request.headers['last-event-id'] ?? 0))) response.write(frame(event))
      readers.add(response)
      response.on('close', () => readers.delete(response))
    } else if (path === `/v1/sessions/${sessionId}`) {
      reply(200, { session: state(), openTexts: [], queuePosition: logServer.queuePosition })
    } else if (path === '/v1/sessions') {
      reply(200, { sessions: [state()], nextCursor: null })
    } else if (path === '/v1/inbox') {
      reply(200, { items: inboxOf(state()) })
    } else {
      reply(404, problem('session.not-found', 404, 'there is no such session'))
    }
  }

  const logServer: LogServer = {
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
    setUnreachable(next) {
      isUnreachable = next
    },
    queuePosition: null,
    onChange: () => ({ status: 200, value: { sessionId, appliedSeq: log.length } }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return logServer
}

/** Small, so that tests read several pages. */
const pageSize = 3

function inboxOf(session: SessionState): readonly InboxItem[] {
  const { sessionId: id, agentName, title, status, costUsd, limits, stoppedAt = '' } = session
  const about = { sessionId: id, agentName, title }
  const money = { spentUsd: costUsd, limitUsd: limits.maxBudgetUsd, reason: 'budget limit reached', isOwnLimit: true }
  return [
    ...session.approvals.map((approval) => ({ type: 'approval' as const, at: approval.at, ...about, approval })),
    ...session.questions.map((question) => ({ type: 'question' as const, at: question.at, ...about, question })),
    ...(status === 'stopped_budget' ? [{ type: 'budget' as const, at: stoppedAt, ...about, ...money }] : []),
  ]
}

export const problem = (code: string, status: number, detail: string) => ({
  type: `https://quarterdeck.dev/errors/${code}`,
  title: code,
  status,
  code,
  detail,
})
