// JSON-RPC with the program that started this one, over standard input and output.
import type { Readable, Writable } from 'node:stream'
import type { Logger } from '@quarterdeck/engine'
import { rpcErrorCodes } from '@quarterdeck/protocol'
import { maxBodyBytesWithImages } from '../http/read-body.ts'
import { readAhead } from '../transports/read-ahead.ts'
import type { Frame } from '../transports/socket.ts'
import { createStdioSocket } from '../transports/stdio.ts'
import { createRpcPeer } from './create-rpc-peer.ts'
import type { RpcHost } from './rpc-host.ts'

/** Grows when something that worked would work no longer; what is new only adds. */
export const pipeProtocol = 1

export interface PipeOptions {
  readonly input: Readable
  readonly output: Writable
  readonly host: RpcHost
  readonly logger: Logger
  /** What the first line says beside the protocol: that calls are taken from here on. */
  readonly ready: Readonly<Record<string, unknown>>
}

export interface Pipe {
  /** Resolves when nothing more comes in, answered or not, or nobody is there to read what goes out. Never rejects. */
  readonly ended: Promise<void>
  /** Resolves when everything that came in is answered. */
  settled(): Promise<void>
  /** Resolves when every event that is in the log now has been written to its subscriber. */
  delivered(): Promise<void>
  /** Takes and writes nothing more. Resolves when the host is no longer read. */
  close(): Promise<void>
}

/** A host may write so much more before its input is taken and its end is seen, whatever it reads. */
const aheadBytes = 512 * 1024

export function servePipe({ input, output, host, logger, ready }: PipeOptions): Pipe {
  const connection = createStdioSocket({ input, output, maxLineBytes: maxBodyBytesWithImages })
  const ahead = readAhead(connection.frames(), { maxBytes: aheadBytes, signal: connection.signal })
  const peer = createRpcPeer({ host, connection, logger })
  const sendMessage = (message: object) => connection.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  sendMessage({ method: 'server.ready', params: { protocol: pipeProtocol, ...ready } })

  async function read(): Promise<void> {
    for await (const frame of ahead.frames()) {
      if (frame.type === 'text') await peer.receive(frame.text)
      else sendMessage({ id: null, error: { code: rpcErrorCodes.invalidRequest, message: refusalOf(frame) } })
      // Who reads no answers is not asked for more of what has to be answered.
      await connection.drained()
    }
  }

  const gone = new Promise<void>((resolve) => {
    if (connection.signal.aborted) resolve()
    else connection.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  void read().catch((error: unknown) => logger.error({ error }, 'the input could not be read'))
  return {
    ended: Promise.race([ahead.ended, gone]),
    settled: () => ahead.idle().then(peer.settled),
    delivered: peer.delivered,
    async close() {
      const closed = peer.close()
      connection.close(1000, '')
      await closed
    },
  }
}

function refusalOf(frame: Exclude<Frame, { type: 'text' }>): string {
  if (frame.type === 'binary') return 'this line is not UTF-8 text'
  return `a line of ${frame.bytes} bytes is longer than ${maxBodyBytesWithImages} bytes: it was not read`
}
