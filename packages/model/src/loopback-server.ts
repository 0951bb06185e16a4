// The gateway and the simulator listen on loopback only, never on an address of the network.
import { once } from 'node:events'
import type { Server } from 'node:http'

// Many sessions start at once, and the kernel resets connections beyond the backlog.
const listenBacklog = 4096

/** Port 0 chooses a free port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<{ url: string }> {
  server.listen({ port, host: '127.0.0.1', backlog: listenBacklog })
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address')
  return { url: `http://127.0.0.1:${address.port}` }
}

/** Closes open connections. Does nothing if the server never listened. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
