// A reader of event streams that controls when it reads from its socket, and can disconnect abruptly.
import { type IncomingMessage, request } from 'node:http'
import { SessionEvent, type SessionId } from '@quarterdeck/protocol'
import type { Served } from '../support/server/serve.ts'

export interface RawReader {
  /** Resolves when the response has started. */
  readonly connected: Promise<void>
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  bytesRead(): number
  /** The durable events so far. */
  events(): readonly SessionEvent[]
  isCutOff(): boolean
  /** Resets the connection, as after a pulled cable. */
  leave(): void
}

export function openRawReader(served: Pick<Served, 'url' | 'token'>, sessionId: SessionId, after = 0): RawReader {
  const headers = {
    authorization: `Bearer ${served.token}`,
    accept: 'text/event-stream',
    'last-event-id': String(after),
  }
  const outgoing = request(`${served.url}/v1/sessions/${sessionId}/events`, { headers, agent: false })
  const chunks: Buffer[] = []
  let bytesRead = 0
  let isCutOff = false
  let isPaused = false
  let answer: IncomingMessage | null = null
  const connected = new Promise<void>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      answer = response
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytesRead += chunk.length
      })
      if (isPaused) response.pause()
      response.on('error', () => undefined) // these tests cut connections on purpose
      response.on('close', () => {
        isCutOff = true
      })
      if (response.statusCode === 200) resolve()
      else reject(new Error(`the stream was answered with ${response.statusCode}`))
    })
  })
  connected.catch(() => undefined) // the caller that waits for it handles it
  outgoing.end()
  return {
    connected,
    pause() {
      isPaused = true
      answer?.pause()
    },
    resume() {
      isPaused = false
      answer?.resume()
    },
    bytesRead: () => bytesRead,
    events: () => durableEvents(Buffer.concat(chunks).toString('utf8')),
    isCutOff: () => isCutOff,
    leave: () => void outgoing.socket?.resetAndDestroy(),
  }
}

/** Only complete events: the last one may be cut anywhere. */
function durableEvents(text: string): readonly SessionEvent[] {
  return Array.from(text.matchAll(/(?<=^|\n)id: \d+\ndata: ([^\n]+)\n\n/g), ([, data = '']) =>
    SessionEvent.parse(JSON.parse(data)),
  )
}
