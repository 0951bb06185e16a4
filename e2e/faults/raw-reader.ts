// A reader of event streams that decides itself when it takes something off its socket, and can leave without a word.
import { type IncomingMessage, request } from 'node:http'
import { SessionEvent, type SessionId } from '@quarterdeck/protocol'
import type { Served } from '../support/server/serve.ts'

export interface RawReader {
  /** Resolves when the server has begun to answer. */
  readonly connected: Promise<void>
  /** Takes nothing more until `resume`. */
  pause(): void
  resume(): void
  bytesRead(): number
  /** The durable events so far. */
  events(): readonly SessionEvent[]
  isCutOff(): boolean
  /** Drops the connection as a pulled cable would be noticed: with a reset. */
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
      response.on('error', () => undefined) // a cut connection is what these tests are about
      response.on('close', () => {
        isCutOff = true
      })
      if (response.statusCode === 200) resolve()
      else reject(new Error(`the stream was answered with ${response.statusCode}`))
    })
  })
  connected.catch(() => undefined) // whoever waits for it hears of it
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

/** Only whole ones: the last may be cut anywhere. */
function durableEvents(text: string): readonly SessionEvent[] {
  return Array.from(text.matchAll(/(?<=^|\n)id: \d+\ndata: ([^\n]+)\n\n/g), ([, data = '']) =>
    SessionEvent.parse(JSON.parse(data)),
  )
}
