// Binds the port before anything else starts, so that its address is known.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { hasErrorCode, problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import { bracketed, isWildcard } from './host-name.ts'
import { answerPlainly, wantsWebSocket } from './plain-http.ts'
import type { UpgradeListener } from './upgrade.ts'

export type HttpListener = Awaited<ReturnType<typeof listen>>

interface Listeners {
  readonly listener: RequestListener
  readonly upgrade: UpgradeListener
}

export interface PortRules {
  /** Refuses a taken port instead of using the next free one. */
  readonly isExact?: boolean
  /** How the user can fix an unusable port. */
  readonly hint?: string
}

const portsToTry = 50

export async function listen(host: string, wantedPort: number, rules: PortRules = {}) {
  let admit: (listeners: Listeners) => void
  const admitted = new Promise<Listeners>((resolve) => {
    admit = resolve
  })
  const server = createServer((request, response) => {
    void admitted.then(({ listener }) => listener(request, response))
  })
  server.on('upgrade', (request, connection, head) => {
    if (!wantsWebSocket(request)) return answerPlainly(server, { request, connection, head })
    // Neither Node nor the application handles errors here yet: a client that disconnects meanwhile must not crash the
    // process.
    connection.on('error', () => connection.destroy())
    void admitted.then(({ upgrade }) => upgrade(request, connection, head))
  })
  const sockets = trackSockets(server)
  server.on('clientError', answerBrokenRequest)
  const port = await listenOnFreePort(server, { host, port: wantedPort }, rules)
  return {
    port,
    /** The address for a browser on this machine. */
    url: `http://${isWildcard(host) ? '127.0.0.1' : bracketed(host)}:${port}`,
    /** Starts to answer. Earlier requests have waited. */
    serve: (listener: RequestListener, upgrade: UpgradeListener): void => admit({ listener, upgrade }),
    /** Accepts no more connections, lets running responses finish for `graceMs`, then closes the rest. */
    async close(graceMs: number) {
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
  { isExact = false, hint = 'choose another --host or --port' }: PortRules,
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
      const detail = `cannot listen on ${bracketed(host)}:${port} (${String(code)}): ${hint}`
      throw new QuarterdeckError('config.invalid', detail, { cause: error })
    }
  }
}

/**
 * The connections with a running response. `closeIdleConnections` of Node skips connections without a request, which
 * browsers keep ready, so closing would wait for their timeout.
 */
function trackSockets(server: Server) {
  const answering = new Map<Socket, number>()
  const count = (socket: Socket, change: number) => {
    const open = answering.get(socket)
    if (open !== undefined) answering.set(socket, open + change)
  }
  server.on('connection', (socket) => {
    if (answering.has(socket)) return // the connection starts again after a declined upgrade offer
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

/** Requests that are not HTTP never reach the application: they get an error response here. */
function answerBrokenRequest(error: Error, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const isTooLarge = hasErrorCode(error, 'HPE_HEADER_OVERFLOW')
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
