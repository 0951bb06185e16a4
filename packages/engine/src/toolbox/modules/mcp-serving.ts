// MCP over the message channel between the server and a worker process.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

interface Serving {
  /** Connects what a function returned. */
  connect(server: unknown): Promise<void>
  hear(message: JSONRPCMessage): void
}

/** The worker's end: one MCP server that a module of the project made. */
export function createServing(send: (message: JSONRPCMessage) => boolean): Serving {
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      if (!send(message)) throw new Error('the message has more than 32 MiB')
    },
    async close() {
      transport.onclose?.()
    },
  }
  return {
    async connect(server) {
      if (!isServer(server)) {
        throw new Error('the function returned no MCP server: it must return an McpServer or a Server of the MCP SDK')
      }
      await server.connect(transport)
    },
    hear: (message) => transport.onmessage?.(message),
  }
}

const isServer = (value: unknown): value is { connect(transport: Transport): Promise<void> } =>
  typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
