// A provider on loopback: the simulator behind a proxy that counts requests and records their headers.
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { createSimulator, loadScenario } from '@quarterdeck/simulator'
import { listenOnLoopback } from './listen-on-loopback.ts'

export interface CountingUpstream {
  readonly url: string
  /** The headers of all requests so far, in order. */
  requests(): readonly IncomingHttpHeaders[]
  close(): Promise<void>
}

export async function startCountingUpstream(scenarioFile: string): Promise<CountingUpstream> {
  const script = loadScenario(await readFile(scenarioFile, 'utf8'), scenarioFile)
  const simulator = createSimulator({ mode: { script: { ...script, steps: script.steps.map(forEver) } }, paceMs: 0 })
  const { url: target } = await simulator.listen()
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((incoming, answer) => {
    seen.push(incoming.headers)
    const { host: _host, ...headers } = incoming.headers
    const outgoing = request(target + incoming.url, { method: incoming.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    incoming.pipe(outgoing)
  })
  return {
    url: await listenOnLoopback(server),
    requests: () => seen,
    async close() {
      server.closeAllConnections()
      server.close()
      await simulator.close()
    },
  }
}

/** Several sessions use the same scenario. */
const forEver = <Step extends { times?: number | undefined }>({ times: _times, ...step }: Step) => ({
  ...step,
  repeat: true,
})
