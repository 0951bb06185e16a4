// Upgrades an HTTP request to a WebSocket: the application decides, then hands over the connection.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '@quarterdeck/engine'
import { problemOf, QuarterdeckError, tokenProtocolPrefix } from '@quarterdeck/protocol'
import type { Hono } from 'hono'
import { WebSocketServer } from 'ws'
import type { Acceptance, AppEnv, Upgrade } from './app-env.ts'
import { createUnfinishedMessages, type UnfinishedMessages } from './unfinished-messages.ts'

export type UpgradeListener = (request: IncomingMessage, connection: Duplex, head: Buffer) => void

/**
 * A frame too large by at most this is answered with a message of the wire; beyond that the connection is closed
 * (1009).
 */
const excessBytes = 1024 * 1024

/** Limit for incomplete messages of all clients of a port together. */
const maxUnfinishedBytes = 128 * 1024 * 1024

/** Time for a client to read a refusal. */
const refusalTimeoutMs = 1000

export function createUpgradeListener(app: Hono<AppEnv>, logger: Logger): UpgradeListener {
  const unfinished = createUnfinishedMessages(maxUnfinishedBytes)
  return (request, connection, head) => {
    connection.on('error', () => connection.destroy()) // disconnected before it was opened
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

const watched = (acceptance: Acceptance, unfinished: UnfinishedMessages, connection: Duplex): Acceptance => ({
  ...acceptance,
  opened(ws) {
    unfinished.watch(ws, connection)
    acceptance.opened(ws)
  },
})

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
  return { response, acceptance: acceptance as Acceptance | null } // assigned in a callback that the compiler cannot see
}

async function refuse(connection: Duplex, response: Response): Promise<void> {
  const { status, headers, body } = response.ok ? await instead(response) : await whole(response)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.byteLength}`,
    'connection: close',
  ]
  // Needed: the time limits of Node ended with the upgrade, and the client may keep its end open.
  const late = setTimeout(() => connection.destroy(), refusalTimeoutMs).unref()
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

/** An address that answers without a WebSocket, perhaps with an endless stream. */
async function instead(response: Response): Promise<Refusal> {
  await response.body?.cancel()
  const detail = 'this address does not accept WebSocket connections: send a plain HTTP request'
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
    // Compression costs memory per connection, and mixes attacker text with secrets.
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => agreedOn([...offered], protocol),
  })
  server.handleUpgrade(request, connection, head, opened)
}

/**
 * A browser gives up if none of its offered protocols is selected. One that offers only its token gets that selected:
 * the token goes back to its sender.
 */
const agreedOn = (offered: readonly string[], protocol: string | undefined): string | false =>
  offered.find((one) => one === protocol) ??
  offered.find((one) => !one.startsWith(tokenProtocolPrefix)) ??
  offered[0] ??
  false
