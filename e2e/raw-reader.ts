// A reader of event streams that decides itself when it takes something off its socket, and can leave without a word.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { SessionEvent, type SessionId } from '@quarterdeck/protocol'
import type { Served } from './served.ts'

export interface RawReader {
  /** Resolves when the server has begun to answer. */
  readonly connected: Promise<void>
  /** Takes nothing more until `resume`. */
  pause(): void
  resume(): void
  /** The durable events so far. */
  events(): readonly SessionEvent[]
  isCutOff(): boolean
  /** Drops the connection as a pulled cable would be noticed: with a reset. */
  leave(): void
}

export function openRawReader(served: Pick<Served, 'url' | 'token'>, sessionId: SessionId, after = 0): RawReader {
  const { hostname, port } = new URL(served.url)
  const socket: Socket = connect(Number(port), hostname)
  socket.on('error', () => undefined) // a cut connection is what these tests are about
  socket.write(
    [
      `GET /v1/sessions/${sessionId}/events HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${served.token}`,
      'accept: text/event-stream',
      `last-event-id: ${after}`,
      '\r\n',
    ].join('\r\n'),
  )
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  let isCutOff = false
  socket.on('close', () => {
    isCutOff = true
  })
  const connected = once(socket, 'data').then(([first]) => {
    const status = String(first).slice(0, 12)
    if (status !== 'HTTP/1.1 200') throw new Error(`the stream was answered with ${String(first).slice(0, 300)}`)
  })
  connected.catch(() => undefined) // whoever waits for it hears of it
  return {
    connected,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    events: () => durableEvents(Buffer.concat(chunks).toString('utf8')),
    isCutOff: () => isCutOff,
    leave: () => void socket.resetAndDestroy(),
  }
}

/** Only whole ones: the last may be cut anywhere. */
function durableEvents(text: string): readonly SessionEvent[] {
  return Array.from(text.matchAll(/(?:^|\n)id: \d+\r?\n(?:[^\n]+\n)*?data: ([^\n]+)\n\r?\n/g), ([, data = '']) =>
    SessionEvent.parse(JSON.parse(data)),
  )
}
