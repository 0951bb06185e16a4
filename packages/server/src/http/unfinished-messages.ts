// Bounds the memory of incomplete WebSocket messages of all clients together. The reader buffers them for as long as
// the sender likes.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

export type UnfinishedMessages = ReturnType<typeof createUnfinishedMessages>

export function createUnfinishedMessages(maxBytes: number) {
  /** Bytes since the last complete message. */
  const bytesBySocket = new Map<WebSocket, number>()
  let total = 0

  function keep(ws: WebSocket, bytes: number): void {
    total += bytes - (bytesBySocket.get(ws) ?? 0)
    if (bytes === 0) bytesBySocket.delete(ws)
    else bytesBySocket.set(ws, bytes)
  }

  /** Disconnects the client that holds the most. */
  function cutLargest(): void {
    const [largest] = [...bytesBySocket].reduce((most, one) => (one[1] > most[1] ? one : most))
    keep(largest, 0)
    largest.terminate()
  }

  return {
    watch(ws: WebSocket, connection: Duplex) {
      const isWhole = () => keep(ws, 0)
      // Runs before the message reader: bytes of messages that this chunk completes do not count.
      connection.prependListener('data', (chunk: Buffer) => {
        if (ws.readyState !== ws.OPEN) return
        keep(ws, (bytesBySocket.get(ws) ?? 0) + chunk.byteLength)
        if (total > maxBytes) cutLargest()
      })
      for (const event of ['message', 'close'] as const) ws.on(event, isWhole)
    },
  }
}
