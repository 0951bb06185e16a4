// Time to the first byte of an answer: through the gateway, from the simulator, and from a bare server.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { createModelGateway } from '@quarterdeck/model'
import { SessionId } from '@quarterdeck/protocol'
import { createSimulator, Scenario } from '@quarterdeck/simulator'
import { nowNs } from './clock.mjs'
import { median, range } from './statistics.mjs'

const answerScript = Scenario.parse({ steps: [{ repeat: true, then: { text: 'Ready when you are.', pace_ms: 0 } }] })

/** @type {import('./figure.mjs').Measurement} */
export const model = {
  title: 'Model side, first byte',
  async measure({ isQuick }) {
    const bare = await startBare()
    const simulator = createSimulator({ mode: { script: answerScript }, paceMs: 0 })
    const { url } = await simulator.listen()
    const gateway = createModelGateway({
      upstream: { baseUrl: url, credential: null },
      authorize: async () => ({ type: 'go' }),
      settle: async () => undefined,
    })
    await gateway.listen()
    const { baseUrl, token } = gateway.openSession(SessionId.parse('ses_benchmark'))
    /** @type {{ bare: number[], simulator: number[], gateway: number[] }} */
    const times = { bare: [], simulator: [], gateway: [] }
    const rounds = isQuick ? 30 : 150
    for (let round = -10; round < rounds; round += 1) {
      const taken = {
        bare: await firstByteMs(bare.url, token),
        simulator: await firstByteMs(url, token),
        gateway: await firstByteMs(baseUrl, token),
      }
      if (round < 0) continue // both sides run compiled code
      times.bare.push(taken.bare)
      times.simulator.push(taken.simulator)
      times.gateway.push(taken.gateway)
    }
    await gateway.close()
    await simulator.close()
    await bare.close()
    const common = { unit: 'ms', better: /** @type {const} */ ('lower') }
    const other = { theirs: median(times.bare), against: 'bare server' }
    return [
      { ...common, ...other, name: 'simulator', ours: median(times.simulator), note: `${range(times.simulator)} ms` },
      {
        ...common,
        name: 'gateway in front of it',
        ours: median(times.gateway),
        theirs: median(times.simulator),
        against: 'simulator alone',
        note: `${range(times.gateway)} ms`,
      },
    ]
  },
}

async function startBare() {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('event: ping\ndata: {}\n\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the bare server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const question = JSON.stringify({
  model: 'claude-sonnet-4-5-20250929',
  max_tokens: 1000,
  stream: true,
  messages: [{ role: 'user', content: 'Are you there?' }],
})

/**
 * @param {string} baseUrl
 * @param {string} key
 * @returns {Promise<number>}
 */
function firstByteMs(baseUrl, key) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return new Promise((resolve, reject) => {
    const startedAt = nowNs()
    const outgoing = request(`${baseUrl}/v1/messages`, { method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${baseUrl} answered ${response.statusCode}`))
      let elapsed = 0
      response.on('data', () => {
        elapsed ||= (nowNs() - startedAt) / 1e6
      })
      response.once('end', () => resolve(elapsed))
    })
    outgoing.once('error', reject)
    outgoing.end(question)
  })
}
