// JSON-RPC with the parent process, over standard input and output.
import type { Readable, Writable } from 'node:stream'
import type { Logger } from '@quarterdeck/engine'
import { rpcErrorCodes, untilAborted } from '@quarterdeck/protocol'
import { maxBodyBytesWithImages } from '../http/read-body.ts'
import { readAhead } from '../transports/read-ahead.ts'
import type { Frame } from '../transports/socket.ts'
import { createStdioSocket } from '../transports/stdio.ts'
import { createRpcPeer } from './create-rpc-peer.ts'
import type { RpcHost } from './rpc-host.ts'

/** Increased for incompatible changes; additions keep it. */
const pipeProtocol = 2

export interface PipeOptions {
  readonly input: Readable
  readonly output: Writable
  readonly host: RpcHost
  readonly logger: Logger
  /** Further fields of the first line, which reports that calls are accepted. */
  readonly ready: Readonly<Record<string, unknown>>
}

/** How far the input is read ahead, so that its end is seen even if the host reads no answers. */
const aheadBytes = 512 * 1024

export function servePipe({ input, output, host, logger, ready }: PipeOptions) {
  const connection = createStdioSocket({ input, output, maxLineBytes: maxBodyBytesWithImages })
  const ahead = readAhead(connection.frames(), { maxBytes: aheadBytes, signal: connection.signal })
  const peer = createRpcPeer({ host, connection, logger })
  const sendMessage = (message: object) => connection.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  sendMessage({ method: 'server.ready', params: { protocol: pipeProtocol, ...ready } })

  async function read(): Promise<void> {
    for await (const frame of ahead.frames()) {
      if (frame.type === 'text') await peer.receive(frame.text)
      else sendMessage({ id: null, error: { code: rpcErrorCodes.invalidRequest, message: refusalOf(frame) } })
      // Reads no further calls while the host does not read answers.
      await connection.drained()
    }
  }

  void read().catch((error: unknown) => logger.error({ error }, 'the input could not be read'))
  return {
    /** Resolves when the input has ended, answered or not, or the output is closed. Never rejects. */
    ended: Promise.race([ahead.ended, untilAborted(connection.signal)]),
    /** Resolves when every message is answered. */
    settled: (): Promise<void> => ahead.idle().then(peer.settled),
    /** Resolves when every event now in the log has been written to its subscriber. */
    delivered: peer.delivered,
    /** Stops reading and writing. Resolves when the host is no longer used. */
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
