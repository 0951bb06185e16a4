// From an HTTP request to a WebSocket: the application decides, then the connection changes hands.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hono } from 'hono'
import { type WebSocket, WebSocketServer } from 'ws'
import type { AppEnv } from '../app-env.ts'

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

/** A frame a little too large is answered in the wire's own words; beyond this the connection is closed (1009). */
const payloadPerFrame = 4

export function createUpgradeListener(app: Hono<AppEnv>): UpgradeListener {
  return (request, connection, head) => {
    connection.on('error', () => connection.destroy()) // gone before it was opened: nobody is left to be told
    void decide(app, request)
      .then(({ response, acceptance }) => {
        if (acceptance === null) return refuse(connection, response)
        open(acceptance, { request, connection, head })
      })
      .catch(() => connection.destroy())
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
  const body = Buffer.from(await response.arrayBuffer())
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const head = [
    `HTTP/1.1 ${response.status} ${response.statusText || 'Refused'}`,
    ...headers,
    `content-length: ${body.byteLength}`,
    'connection: close',
  ]
  connection.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}

function open(
  { maxFrameBytes, protocol, opened }: Acceptance,
  { request, connection, head }: { request: IncomingMessage; connection: Duplex; head: Buffer },
): void {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes * payloadPerFrame,
    perMessageDeflate: false,
    // A token among the subprotocols is never said back.
    handleProtocols: (offered) => (protocol !== undefined && offered.has(protocol) ? protocol : false),
  })
  server.handleUpgrade(request, connection, head, opened)
}
