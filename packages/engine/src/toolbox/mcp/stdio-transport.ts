// JSON-RPC over a server's standard input and output. The SDK's own transport starts the process itself, with variables
// nobody declared.
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { SandboxedProcess } from '../../isolation/spawn-sandboxed.ts'
import { longestMessage, MessageTooLarge } from './message-too-large.ts'

export function createStdioTransport(server: SandboxedProcess): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: longestMessage })
  const transport: Transport = {
    async start() {
      server.output.on('data', (chunk: Buffer) => {
        try {
          buffer.append(chunk)
        } catch {
          // The only thing it can say.
          transport.onerror?.(new MessageTooLarge())
          return void server.end()
        }
        readAll()
      })
      server.output.on('error', (error) => transport.onerror?.(error))
      void server.exit.then(() => transport.onclose?.())
    },
    send: (message) =>
      new Promise((resolve) => {
        if (server.input.write(serializeMessage(message))) resolve()
        else server.input.once('drain', resolve)
      }),
    close: () => server.end(),
  }

  function readAll(): void {
    for (;;) {
      try {
        const message = buffer.readMessage()
        if (message === null) return
        transport.onmessage?.(message)
      } catch (error) {
        // A line that is no message: servers print where they should not.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }

  return transport
}
