// A message that is not whole yet is kept by whoever reads it, for as long as its sender likes. What all of them keep
// together has a bound, whoever sends how many.
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

export interface UnfinishedMessages {
  watch(ws: WebSocket, connection: Duplex): void
}

export function createUnfinishedMessages(maxBytes: number): UnfinishedMessages {
  /** Bytes that came since the last whole message. */
  const bytesBySocket = new Map<WebSocket, number>()
  let total = 0

  function keep(ws: WebSocket, bytes: number): void {
    total += bytes - (bytesBySocket.get(ws) ?? 0)
    if (bytes === 0) bytesBySocket.delete(ws)
    else bytesBySocket.set(ws, bytes)
  }

  /** Who keeps most of it has had its chance. */
  function cutLargest(): void {
    const [largest] = [...bytesBySocket].reduce((most, one) => (one[1] > most[1] ? one : most))
    keep(largest, 0)
    largest.terminate()
  }

  return {
    watch(ws, connection) {
      const isWhole = () => keep(ws, 0)
      // Before the reader of messages: what it finishes with this chunk is not kept.
      connection.prependListener('data', (chunk: Buffer) => {
        if (ws.readyState !== ws.OPEN) return
        keep(ws, (bytesBySocket.get(ws) ?? 0) + chunk.byteLength)
        if (total > maxBytes) cutLargest()
      })
      for (const event of ['message', 'close'] as const) ws.on(event, isWhole)
    },
  }
}
