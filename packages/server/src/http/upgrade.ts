// From an HTTP request to a WebSocket: the application decides, then the connection changes hands.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '@quarterdeck/engine'
import { problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import { type WebSocket, WebSocketServer } from 'ws'
import { tokenProtocol } from '../auth/authenticate.ts'
import type { AppEnv } from './app-env.ts'
import { createUnfinishedMessages, type UnfinishedMessages } from './unfinished-messages.ts'

/** What a route asks for that takes a connection over. */
export interface Acceptance {
  readonly maxFrameBytes: number
  readonly protocol?: string
  readonly opened: (ws: WebSocket) => void
}

export interface Upgrade {
  accept(acceptance: Acceptance): void
}

export type UpgradeListener = (request: IncomingMessage, connection: Duplex, head: Buffer) => void

/** A frame too large by no more than this is answered in the wire's own words; else the connection is closed (1009). */
const excessBytes = 1024 * 1024

/** What all clients of a port together may have sent of messages that are not whole yet. */
const maxUnfinishedBytes = 128 * 1024 * 1024

/** Who does not take a refusal is not waited for. */
const goodbyeMs = 1000

export function createUpgradeListener(app: Hono<AppEnv>, logger: Logger): UpgradeListener {
  const unfinished = createUnfinishedMessages(maxUnfinishedBytes)
  return (request, connection, head) => {
    connection.on('error', () => connection.destroy()) // gone before it was opened: nobody is left to be told
    void decide(app, request)
      .then(({ response, acceptance }) => {
        if (acceptance === null) return refuse(connection, response)
        open(watched(acceptance, unfinished, connection), { request, connection, head })
      })
      .catch((error: unknown) => {
        logger.error({ error }, 'a connection could not be opened')
        connection.destroy()
      })
  }
}

function watched(acceptance: Acceptance, unfinished: UnfinishedMessages, connection: Duplex): Acceptance {
  return {
    ...acceptance,
    opened(ws) {
      unfinished.watch(ws, connection)
      acceptance.opened(ws)
    },
  }
}

async function decide(app: Hono<AppEnv>, request: IncomingMessage) {
  let acceptance: Acceptance | null = null
  const upgrade: Upgrade = {
    accept(accepted) {
      acceptance = accepted
    },
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const host = request.headers.host ?? ''
  const url = URL.canParse(`http://${host}${request.url}`) ? `http://${host}${request.url}` : 'http://invalid/'
  const response = await app.fetch(new Request(url, { headers }), { upgrade })
  return { response, acceptance: acceptance as Acceptance | null } // assigned in a call the compiler cannot see
}

async function refuse(connection: Duplex, response: Response): Promise<void> {
  const { status, headers, body } = response.ok ? await instead(response) : await whole(response)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.byteLength}`,
    'connection: close',
  ]
  // Nobody else closes it: Node's own time limits have ended with the upgrade, and the client may leave its end open.
  const late = setTimeout(() => connection.destroy(), goodbyeMs).unref()
  connection.once('close', () => clearTimeout(late))
  connection.once('finish', () => connection.destroy())
  connection.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}

interface Refusal {
  status: number
  headers: [string, string][]
  body: Buffer
}

async function whole(response: Response): Promise<Refusal> {
  const headers = [...response.headers].filter(([name]) => name !== 'content-length')
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}

/** An address that answers without a WebSocket, perhaps with a stream that never ends. */
async function instead(response: Response): Promise<Refusal> {
  await response.body?.cancel()
  const detail = 'this address does not speak WebSocket: ask it with a plain request'
  const problem = problemOf(new QuarterdeckError('request.invalid', detail))
  const headers: [string, string][] = [['content-type', 'application/problem+json']]
  return { status: problem.status, headers, body: Buffer.from(JSON.stringify(problem)) }
}

function open(
  { maxFrameBytes, protocol, opened }: Acceptance,
  { request, connection, head }: { request: IncomingMessage; connection: Duplex; head: Buffer },
): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxFrameBytes + excessBytes,
    // Compression costs memory for each connection, and mixes what others wrote with what may be secret.
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => agreedOn([...offered], protocol),
  })
  server.handleUpgrade(request, connection, head, opened)
}

/**
 * A browser that offers some and is granted none gives up: one that has nothing to offer but its token is granted that,
 * and the token goes back to where it came from.
 */
const agreedOn = (offered: readonly string[], protocol: string | undefined): string | false =>
  offered.find((one) => one === protocol) ??
  offered.find((one) => !one.startsWith(tokenProtocol)) ??
  offered[0] ??
  false
