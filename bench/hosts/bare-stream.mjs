// A minimal Node server: writes the same frames to every reader, once each.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { nowNs } from '../clock.mjs'
import { pacedText } from '../paced-text.mjs'
import { cpuMicroseconds, serveHost } from './serve-host.mjs'

/** @type {Set<import('node:http').ServerResponse>} */
const readers = new Set()

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': connected\n\n')
  readers.add(response)
  response.once('close', () => readers.delete(response))
})

serveHost({
  async open() {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the bare server has no port')
    return { url: `http://127.0.0.1:${address.port}` }
  },
  /** @param {{ count: number, perSecond: number }} pace */
  async stream({ count, perSecond }) {
    const startedAt = performance.now()
    for (let index = 0; index < count; index += 1) {
      const wait = startedAt + (index * 1000) / perSecond - performance.now()
      if (wait > 0) await sleep(wait)
      const frame = `id: ${index + 1}\ndata: ${JSON.stringify(sampleEvent(index + 1))}\n\n`
      for (const reader of readers) reader.write(frame)
    }
  },
  cpu: cpuMicroseconds,
  async close() {
    server.close()
    server.closeAllConnections()
  },
})

/**
 * The same size as the events of the other side.
 * @param {number} seq
 */
const sampleEvent = (seq) => ({
  seq,
  id: 'evt_0mi000000abcdefghjkmnpqrst',
  sessionId: 'ses_0mi000000abcdefghjkmnpqrst',
  at: '2026-01-01T00:00:00.000Z',
  type: 'RawBackendMessage',
  agent: null,
  data: { kind: 'bench', message: { text: pacedText(nowNs()) } },
  v: 1,
  turnId: 'trn_0mi000000abcdefghjkmnpqrst',
})
