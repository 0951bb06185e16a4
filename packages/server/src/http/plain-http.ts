// Programs that know HTTP/2 offer with every request to change over (`Upgrade: h2c`), one with a body too. Who is not
// taken up on an offer is answered as if it had made none; Node hands the connection over in any case.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && (headers.upgrade ?? '').toLowerCase() === 'websocket'

interface Offer {
  readonly request: IncomingMessage
  readonly connection: Duplex
  /** What came behind the headers. */
  readonly head: Buffer
}

/** The connection begins anew, with the same request but for the offer. */
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
