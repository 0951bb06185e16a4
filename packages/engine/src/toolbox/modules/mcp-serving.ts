// MCP over the message channel between the server and a worker process.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** The worker's end of the channel. `send` returns false for a message that is too large. */
export function createServing(send: (message: JSONRPCMessage) => boolean) {
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      if (!send(message)) throw new Error('the message is larger than 32 MiB: return less')
    },
    async close() {
      transport.onclose?.()
    },
  }
  return {
    /** Connects the MCP server that a function returned. Throws for any other value. */
    async connect(server: unknown) {
      if (!isServer(server)) {
        throw new Error(
          'the function did not return an MCP server: it must return an McpServer or a Server of the MCP SDK',
        )
      }
      await server.connect(transport)
    },
    receive: (message: JSONRPCMessage) => transport.onmessage?.(message),
  }
}

const isServer = (value: unknown): value is { connect(transport: Transport): Promise<void> } =>
  typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
