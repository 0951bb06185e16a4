// An MCP server inside a worker, connected to the port it was given.
import type { MessagePort } from 'node:worker_threads'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

export async function serveOn(server: unknown, port: MessagePort): Promise<void> {
  if (typeof server !== 'object' || server === null || !('connect' in server) || typeof server.connect !== 'function') {
    throw new Error('the function returned no MCP server: it must return an McpServer or a Server of the MCP SDK')
  }
  await server.connect(transportOn(port))
}

export function transportOn(port: MessagePort): Transport {
  let isClosed = false
  const transport: Transport = {
    async start() {
      port.on('message', (message: JSONRPCMessage) => transport.onmessage?.(message))
      port.on('close', end)
    },
    async send(message) {
      port.postMessage(message)
    },
    async close() {
      port.close()
      end()
    },
  }
  function end(): void {
    if (isClosed) return
    isClosed = true
    transport.onclose?.()
  }
  return transport
}
