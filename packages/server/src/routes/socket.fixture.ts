// A server with sessions that produce events, and the parts a client needs to connect.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, createSocketClient, type SocketClientOptions, type SocketConstructor } from '@quarterdeck/client'
import { WebSocket } from 'ws'
import { type ServerOptions, startServer } from '../app/start-server.ts'
import { runtimeOptions, type Script } from '../runtime/runtime.fixture.ts'

export const weather = { name: 'weather', description: 'The weather.', inputSchema: { type: 'object' } }

/** The script is chosen by the first word of the message. */
const script: Script = (input) => {
  if (input === 'list') return [{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a file' }]
  if (input === 'weather') return [{ type: 'tool', name: 'mcp__client__weather', input: { city: 'Oslo' }, result: '' }]
  const [, count = '3', size = '4'] = input.split(' ')
  return Array.from({ length: Number(count) }, (_, index) => ({
    type: 'text' as const,
    chunks: [`${index} `, 'x'.repeat(Number(size))],
  }))
}

export async function startSocketServer(change: Partial<ServerOptions> = {}) {
  const runtime = await runtimeOptions(script)
  const server = await startServer({ host: '127.0.0.1', port: 0, runtime, ...change })
  const token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  const clients = new Set<ReturnType<typeof createSocketClient>>()
  return {
    server,
    token,
    url: server.url,
    client: createClient({ baseUrl: server.url, token }),
    socketClient(options: Partial<SocketClientOptions> = {}) {
      const client = createSocketClient({ baseUrl: server.url, token, WebSocket, ...options })
      clients.add(client)
      return client
    },
    async close() {
      for (const client of clients) client.close()
      await server.close()
    },
  }
}

/** Breaks its connection after this many messages, each time again. */
export const droppingSocket = (messages: () => number): SocketConstructor =>
  class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols)
      let left = messages()
      this.on('message', () => {
        left -= 1
        if (left <= 0) this.terminate()
      })
    }
  }
