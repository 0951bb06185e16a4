// JSON-RPC over a server's standard input and output. The SDK's own transport starts the process itself, with
// undeclared variables.
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { SandboxedProcess } from '../../isolation/spawn-sandboxed.ts'
import { longestMcpMessage, MessageTooLarge } from './message-too-large.ts'

export function createStdioTransport(server: SandboxedProcess): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: longestMcpMessage })
  const transport: Transport = {
    async start() {
      server.output.on('data', (chunk: Buffer) => {
        try {
          buffer.append(chunk)
        } catch {
          // The only error that it can report.
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
        // A line that is not a message: some servers print to standard output.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }

  return transport
}
