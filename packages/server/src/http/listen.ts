// The port, taken before anything else happens: the rest of the house can then be told where it answers.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import { bracketed, isWildcard } from './host-name.ts'
import { answerPlainly, wantsWebSocket } from './plain-http.ts'
import type { UpgradeListener } from './upgrade.ts'

export interface HttpListener {
  readonly port: number
  /** How a browser on this machine reaches it. */
  readonly url: string
  /** Answers from now on. Requests that came earlier have waited. */
  serve(listener: RequestListener, upgrade: UpgradeListener): void
  /** Takes no more connections, lets running answers end for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>
}

interface Listeners {
  readonly listener: RequestListener
  readonly upgrade: UpgradeListener
}

export interface PortRules {
  /** A taken port is refused instead of the next free one being taken. */
  readonly isExact?: boolean
  /** What a person can do about a port that cannot be had. */
  readonly mend?: string
}

const portsToTry = 50

export async function listen(host: string, wantedPort: number, rules: PortRules = {}): Promise<HttpListener> {
  let admit: (listeners: Listeners) => void
  const admitted = new Promise<Listeners>((resolve) => {
    admit = resolve
  })
  const server = createServer((request, response) => {
    void admitted.then(({ listener }) => listener(request, response))
  })
  server.on('upgrade', (request, connection, head) => {
    if (!wantsWebSocket(request)) return answerPlainly(server, { request, connection, head })
    // Node listens no longer, and a house that opens does not yet: who goes meanwhile is no crash.
    connection.on('error', () => connection.destroy())
    void admitted.then(({ upgrade }) => upgrade(request, connection, head))
  })
  const sockets = trackSockets(server)
  server.on('clientError', answerBrokenRequest)
  const port = await listenOnFreePort(server, { host, port: wantedPort }, rules)
  return {
    port,
    url: `http://${isWildcard(host) ? '127.0.0.1' : bracketed(host)}:${port}`,
    serve: (listener, upgrade) => admit({ listener, upgrade }),
    async close(graceMs) {
      const closed = once(server, 'close')
      server.close()
      const sweep = setInterval(sockets.closeQuiet, 20)
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
    },
  }
}

async function listenOnFreePort(
  server: Server,
  wanted: { readonly host: string; readonly port: number },
  { isExact = false, mend = 'choose another --host or --port' }: PortRules,
): Promise<number> {
  const { host } = wanted
  for (let port = wanted.port; ; port += 1) {
    try {
      server.listen(port, host)
      await once(server, 'listening')
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : port
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      const canTryNext = !isExact && wanted.port !== 0 && port < Math.min(wanted.port + portsToTry, 65_535)
      if (code === 'EADDRINUSE' && canTryNext) continue
      const detail = `cannot listen on ${bracketed(host)}:${port} (${String(code)}): ${mend}`
      throw new QuarterdeckError('config.invalid', detail, { cause: error })
    }
  }
}

/**
 * Which connections carry an answer. Node's own `closeIdleConnections` spares those that never asked anything, and
 * browsers keep such ones ready: a server could not close before they time out.
 */
function trackSockets(server: Server) {
  const answering = new Map<Socket, number>()
  const count = (socket: Socket, change: number) => {
    const open = answering.get(socket)
    if (open !== undefined) answering.set(socket, open + change)
  }
  server.on('connection', (socket) => {
    if (answering.has(socket)) return // it begins anew behind an offer that was not taken
    answering.set(socket, 0)
    socket.once('close', () => answering.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  return {
    closeQuiet() {
      for (const [socket, open] of answering) if (open === 0) socket.destroySoon()
    },
  }
}

/** What is not HTTP at all never reaches the application: it still gets an answer that says so. */
function answerBrokenRequest(error: Error, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const isTooLarge = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW'
  const refusal = isTooLarge
    ? new QuarterdeckError('request.too-large', 'the address and the headers are longer than 16 KiB')
    : new QuarterdeckError('request.invalid', 'this is not an HTTP request')
  const problem = problemOf(refusal)
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
