// Where the gateway and the simulator are reached: a free port of this machine, never of its network.
import { once } from 'node:events'
import type { Server } from 'node:http'

// Many sessions begin at once, and a connection that finds no place is reset.
const listenBacklog = 4096

export async function listenOnLoopback(server: Server): Promise<{ url: string }> {
  server.listen({ port: 0, host: '127.0.0.1', backlog: listenBacklog })
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a server on a port has no TCP address')
  return { url: `http://127.0.0.1:${address.port}` }
}

/** Cuts what is open. Nothing happens to a server that never listened. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
