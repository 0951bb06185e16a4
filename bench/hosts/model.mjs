// The model of both sides, in its own process. It answers at once, or in deltas that contain their send time.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeSseFrame } from '@quarterdeck/model'
import { createSimulator, Scenario } from '@quarterdeck/simulator'
import { nowNs } from '../clock.mjs'
import { serveHost } from './serve-host.mjs'

const atOnce = Scenario.parse({ steps: [{ repeat: true, then: { text: 'Ready when you are.', pace_ms: 0 } }] })

/** @type {(() => Promise<void>) | undefined} */
let close

serveHost({
  /** @param {{ kind: 'at-once' } | { kind: 'stamped', count: number, everyMs: number }} options */
  async open(options) {
    if (options.kind === 'at-once') {
      const simulator = createSimulator({ mode: { script: atOnce }, paceMs: 0 })
      close = simulator.close
      return await simulator.listen()
    }
    const server = createServer((request, response) => {
      request.resume().once('end', () => {
        if (request.method === 'POST' && request.url?.startsWith('/v1/messages')) void stream(response, options)
        else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
      })
    })
    close = async () => {
      server.close()
      server.closeAllConnections()
    }
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the model has no port')
    return { url: `http://127.0.0.1:${address.port}` }
  },
  close: () => close?.(),
})

let messages = 0

/**
 * @param {import('node:http').ServerResponse} response
 * @param {{ count: number, everyMs: number }} pace
 */
async function stream(response, { count, everyMs }) {
  /** @param {{ type: string } & Record<string, unknown>} event */
  const send = (event) => response.write(encodeSseFrame(event.type, event))
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  messages += 1
  const id = `msg_bench_${messages}`
  const head = { id, type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null, usage }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send({ type: 'message_start', message: { ...head, stop_sequence: null } })
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  const startedAt = performance.now()
  for (let index = 0; index < count && !response.destroyed; index += 1) {
    const wait = startedAt + index * everyMs - performance.now()
    if (wait > 0) await sleep(wait)
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${nowNs()} ` } })
  }
  send({ type: 'content_block_stop', index: 0 })
  send({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { ...usage, output_tokens: count },
  })
  send({ type: 'message_stop' })
  response.end()
}
