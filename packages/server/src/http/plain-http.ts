// HTTP/2 clients offer an upgrade (`Upgrade: h2c`) with every request, even one with a body. A declined offer must be
// ignored, but Node hands over the connection in any case.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && (headers.upgrade ?? '').toLowerCase() === 'websocket'

interface Offer {
  readonly request: IncomingMessage
  readonly connection: Duplex
  /** The bytes after the headers. */
  readonly head: Buffer
}

/** Replays the request on the connection without the offer. */
export function answerPlainly(server: Server, { request, connection, head }: Offer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? ''
    const value = request.rawHeaders[at + 1] ?? ''
    if (['upgrade', 'http2-settings'].includes(name.toLowerCase())) continue
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutOffer(value) : value}`)
  }
  connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', connection)
}

const withoutOffer = (value: string): string =>
  value
    .split(',')
    .map((token) => token.trim())
    .filter((token) => !['upgrade', 'http2-settings'].includes(token.toLowerCase()))
    .join(', ') || 'keep-alive'
