// A gateway with a simulator or a custom upstream, which records all reports.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import type { SimulatorOptions } from '@quarterdeck/simulator'
import { onTestFinished } from 'vitest'
import { startSimulator } from '../../../simulator/src/start-simulator.fixture.ts'
import { createModelGateway } from './create-model-gateway.ts'
import type { KeyRefused, ModelGatewayOptions, OpenSessionOptions, Retrying, Settlement } from './model-gateway.ts'
import type { RequestName, Waiting } from './rate-queue.ts'

export const hello = {
  model: 'claude-sonnet-4-6',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'hello' }],
}

/** The listeners of a gateway or an admission, and what they recorded. */
export function recordReports() {
  const reported = {
    begun: [] as Settlement[],
    settled: [] as Settlement[],
    released: [] as RequestName[],
    retrying: [] as Retrying[],
    waiting: [] as Waiting[],
    refused: [] as KeyRefused[],
    warnings: [] as string[],
  }
  const listeners = {
    onBegun: (begun) => void reported.begun.push(begun),
    settle: async (settlement) => void reported.settled.push(settlement),
    release: async (request) => void reported.released.push(request),
    onRetrying: (retrying) => void reported.retrying.push(retrying),
    onWaiting: (waiting) => void reported.waiting.push(waiting),
    onKeyRefused: (refused) => void reported.refused.push(refused),
    logger: { warn: (facts, message) => void reported.warnings.push(`${message} ${JSON.stringify(facts)}`) },
  } satisfies Partial<ModelGatewayOptions>
  return { reported, listeners }
}

export async function openGateway(baseUrl: string, more: Partial<ModelGatewayOptions> = {}) {
  const { reported, listeners } = recordReports()
  const upstream = { baseUrl, credential: { header: 'x-api-key', value: 'made-up-provider-key' } } as const
  const gateway = createModelGateway({ upstream, ...listeners, ...more })
  onTestFinished(gateway.close)
  await gateway.listen()
  const clientOf = (sessionId: string, wishes?: OpenSessionOptions) => {
    const { token, baseUrl: baseURL } = gateway.openSession(sessionId, wishes)
    return new Anthropic({ apiKey: token, baseURL, maxRetries: 0 })
  }
  return { gateway, reported, clientOf, client: clientOf('s1') }
}

export async function openSimulated(options: Partial<SimulatorOptions> = {}, more: Partial<ModelGatewayOptions> = {}) {
  const { simulator, url } = await startSimulator(options)
  return { simulator, ...(await openGateway(url, more)) }
}

/** An upstream with answers that no simulator gives. */
export async function openUpstream(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
